import type { Position } from '../../kernel/position.ts'
import type { Recorded } from '../../ledger/entry.ts'
import { CLOSING, type ClosingType, isOf, sendsElsewhere } from '../exchange.ts'
import type { Past } from '../past.ts'
import { type Finding, type Rule, type Scene, wrongs } from '../rule.ts'

/** A request rests on a decision about this very address, made right before it, in a run under way. */
const sent = ({ event, run }: Recorded<'RequestSent'>, { past }: Scene): Finding => {
  const { url, purpose, programme, subject, decision } = event
  const decided = past.decision(decision)?.event
  const about =
    decided?.url === url &&
    decided.purpose === purpose &&
    decided.programme === programme &&
    decided.subject === subject
  const facts = past.run(run)
  return wrongs(
    [
      !about,
      () => `${url} was asked without a decision about it right before (position ${decision})`,
    ],
    [facts === undefined, () => `${url} was asked in a run that has not started`],
    [facts?.ended === true, () => `${url} was asked after its run had ended`],
    [
      past.policyFor(run, programme) === undefined,
      () => `${url} was asked under no policy that the ledger has`,
    ],
  )
}

/** An end closes the one request it names, and repeats what that says. */
const closing = ({ event, run }: Recorded<ClosingType>, past: Past): Finding => {
  const { request, url } = event
  const open = past.exchange(request)
  if (open === undefined) return [`the end of ${url} closes no request (position ${request})`]
  if (open.closed !== null)
    return [
      `the request at position ${request} was closed a second time, first at ${open.closed.position}`,
    ]
  const same =
    open.url === url &&
    open.n === event.n &&
    open.target === event.target &&
    open.purpose === event.purpose &&
    open.night === event.night &&
    open.hop === event.hop &&
    open.programme === event.programme &&
    open.run === (event.type === 'RequestAbandoned' ? event.sentIn : run)
  return wrongs([
    !same,
    () => `the end of ${url} is another one's than that of the request at position ${request}`,
  ])
}

const redirect = ({ event }: Recorded<'RedirectDecided'>, past: Past): Finding => {
  const answered = past.exchange(event.request)
  const is = answered?.url === event.from && answered.closed?.status === event.status
  return wrongs([!is, () => `a redirect from ${event.from} was decided that no answer had sent`])
}

const withheld = ({ event }: Recorded<'RequestWithheld'>, past: Past): Finding => {
  const { url, purpose, reason, decision } = event
  const denied = reason === 'robots-disallow' || reason === 'robots-unreachable'
  if (decision === null)
    return wrongs([denied, () => `${url} was withheld for ${reason} without a decision`])
  const decided = past.decision(decision)?.event
  const about = decided?.url === url && decided.purpose === purpose
  return wrongs(
    [!about, () => `${url} was withheld by a decision about something else (position ${decision})`],
    [
      about && denied && decided.verdict !== 'deny',
      () => `${url} was withheld for ${reason}, and had been allowed`,
    ],
  )
}

/** What a fetch came to is told after the exchange that it names. */
const concluded = ({ event }: Recorded<'RobotsRead' | 'FetchConcluded'>, past: Past): Finding => {
  const { request, commit } = event
  if (request === null) return undefined
  const exchange = past.exchange(request)
  if (exchange === undefined)
    return [`a fetch was concluded by a request of another day (position ${request})`]
  const { closed } = exchange
  // What a 304 confirms is the body of an earlier visit: a matter of PK12 and RC10.
  const isOther = commit !== null && closed?.status !== 304 && closed?.commit !== commit
  return wrongs(
    [
      closed === null,
      () => `a fetch was concluded before its exchange was over (position ${request})`,
    ],
    [
      closed !== null && isOther,
      () =>
        `a fetch was concluded with another body than that of the request at position ${request}`,
    ],
  )
}

const judgeEvent = (recorded: Recorded, scene: Scene): Finding => {
  if (isOf(recorded, 'RequestSent')) return sent(recorded, scene)
  if (isOf(recorded, ...CLOSING)) return closing(recorded, scene.past)
  if (isOf(recorded, 'RedirectDecided')) return redirect(recorded, scene.past)
  if (isOf(recorded, 'RequestWithheld')) return withheld(recorded, scene.past)
  return isOf(recorded, 'RobotsRead', 'FetchConcluded')
    ? concluded(recorded, scene.past)
    : undefined
}

/** CL1, RC26: each step stands in the ledger before the next, from the decision to the conclusion. */
export const written: Rule = {
  promises: ['CL1', 'RC26'],
  looksAt:
    'that decision, request, end, redirect and conclusion follow each other, each about the same',
  begin: () => {
    /** Answers that send us elsewhere, by stream: what comes next there decides about them. */
    const undecided = new Map<string, Position>()
    return (recorded, scene) => {
      const { stream, event } = recorded
      const waiting = undecided.get(stream)
      undecided.delete(stream)
      if (event.type === 'ResponseReceived' && sendsElsewhere(event.status))
        undecided.set(stream, event.request)
      const found = judgeEvent(recorded, scene)
      const decides = event.type === 'RedirectDecided' && event.request === waiting
      if (waiting === undefined || decides) return found
      const forgotten = `nothing was decided about the redirect that position ${waiting} was answered with`
      return found === undefined || found === 'unjudged' ? [forgotten] : [...found, forgotten]
    }
  },
}
