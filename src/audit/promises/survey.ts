import { isOf } from '../exchange.ts'
import { type Finding, type Rule } from '../rule.ts'
import { agent, anonymous } from './anonymous.ts'
import { crawlDelay } from './crawl-delay.ts'
import { pace } from './pace.ts'
import { permitted } from './permitted.ts'
import { robotsFirst } from './robots-first.ts'

const SAME: readonly Rule[] = [agent, anonymous, robotsFirst, permitted, pace, crawlDelay]

/** RC28: a visit by hand goes out under the same name, rules and log as a night's. */
export const survey: Rule = {
  promises: ['RC28'],
  looksAt: 'requests of runs by hand: their name, robots.txt and pace',
  begin: () => {
    const judges = SAME.map((rule) => rule.begin())
    return (recorded, scene) => {
      const found: Finding[] = judges.map((judge) => judge(recorded, scene))
      const byHand = scene.past.run(recorded.run)?.kind === 'hand'
      if (!byHand || !isOf(recorded, 'RequestSent')) return undefined
      const broken = found.flatMap((one) => (one === undefined || one === 'unjudged' ? [] : one))
      return broken.length === 0 && found.includes('unjudged') ? 'unjudged' : broken
    }
  },
}
