import { startRehearsalWeb } from '../../scripts/rehearsal/web.ts'
import type { CommonFlags } from '../config.ts'
import { Halt } from '../shell/halt.ts'
import type { RunReport } from '../shell/run.ts'
import { forPrograms, type Verb, verb, withOpened } from './command.ts'
import { type Rehearsal, rehearsalOf, rehearseNight, type Scene } from './rehearsal.ts'
import { printReport } from './report.ts'

type RehearseFlags = CommonFlags & {
  readonly nights: string
  readonly seed: string
  readonly json?: boolean
}

const INTERRUPTED = 5
const NIGHTS_MAX = 3_650

/** A rehearsal of its own begins here: far enough from today that nobody takes it for a real night. */
const FIRST_NIGHT = '2031-01-01T00:30:00Z'

export const rehearseVerb: Verb = (io) =>
  forPrograms(
    verb('rehearse', 'run nights against the bundled rehearsal web, on the simulated clock'),
  )
    .argument('[programme]', 'plain-reckoner, or the path of a policy file', 'plain-reckoner')
    .option('--nights <n>', 'how many nights', '1')
    .option('--seed <n>', 'the rehearsal web’s seed', '1')
    .addHelpText(
      'after',
      '\nExample:\n  crawl-ledger rehearse plain-reckoner --nights 30 --data ./rehearsal',
    )
    .action(async (name: string, flags: RehearseFlags) => {
      const nights = countOf('--nights', flags.nights, NIGHTS_MAX)
      const seed = countOf('--seed', flags.seed, 2 ** 31)
      const simulated = { ...flags, clock: `simulated:${FIRST_NIGHT}` }
      await withOpened(io, simulated, async (opened, config) => {
        const web = await startRehearsalWeb({ clock: opened.clock, seed })
        try {
          const rehearsal = await rehearsalOf(web, name)
          const last = await rehearseAll({ io, opened, config }, rehearsal, nights)
          if (last === undefined) return
          await printReport(io, opened, last, flags.json === true)
          if (io.stop.aborted) io.exitWith(INTERRUPTED)
        } finally {
          await web.close()
        }
      })
    })

export const countOf = (flag: string, given: string, max: number): number => {
  const count = /^\d{1,10}$/.test(given) ? Number(given) : Number.NaN
  if (count >= 1 && count <= max) return count
  throw new Halt({ tag: 'WrongUse', because: `${flag} takes a whole number from 1 to ${max}` })
}

/** The report of the last night; undefined if there was none. */
const rehearseAll = async (
  scene: Scene,
  rehearsal: Rehearsal,
  nights: number,
): Promise<RunReport | undefined> => {
  let last: RunReport | undefined
  for (let index = 0; index < nights && !scene.io.stop.aborted; index += 1)
    last = await rehearseNight(scene, rehearsal, index)
  return last
}
