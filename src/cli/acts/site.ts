/** Acts about a site: exclusion, its end, a new start after failures, a slower pace, paths left alone. */
import type { EventOf } from '../../ledger/event.ts'
import { Halt } from '../../shell/halt.ts'
import type { Verb } from '../command.ts'
import { siteArgument } from '../site-argument.ts'
import { act, type ActFlags, actor, actVerb } from './record.ts'

const SITE = 'a domain; every host name under it is meant'
const PACE_MAX = 31_536_000
const PATH_LENGTH_MAX = 2_048

export const excludeVerb: Verb = (io) =>
  actVerb(
    'exclude',
    'never ask this site again, until a person readmits it',
    'example.org --by "A. Operator" --note "asked by mail"',
  )
    .argument('<site>', SITE)
    .action((domain: string, flags: ActFlags) => {
      const site = siteArgument(domain)
      return act(io, flags, () => ({ type: 'SiteExcluded', v: 1, site, ...actor(flags) }))
    })

export const readmitVerb: Verb = (io) =>
  actVerb(
    'readmit',
    'lift the exclusion of a site, or ask a part of it again that was left alone',
    'example.org --by "A. Operator"',
  )
    .argument('<site>', SITE)
    .option('--path <path>', 'only this path, as `leave-alone` named it')
    .action((domain: string, flags: ActFlags & { readonly path?: string }) => {
      const site = siteArgument(domain)
      const who = { v: 1, site, ...actor(flags) } as const
      if (flags.path === undefined)
        return act(io, flags, () => ({ type: 'SiteReadmitted', ...who }))
      const path = pathArgument(flags.path)
      return act(io, flags, () => ({ type: 'PathReadmitted', ...who, path }))
    })

export const resumeVerb: Verb = (io) =>
  actVerb(
    'resume',
    'ask a site again that was stopped after failures',
    'example.org --by "A. Operator"',
  )
    .argument('<site>', SITE)
    .action((domain: string, flags: ActFlags) => {
      const site = siteArgument(domain)
      return act(io, flags, () => ({ type: 'SiteResumed', v: 1, site, ...actor(flags) }))
    })

export const paceVerb: Verb = (io) =>
  actVerb(
    'pace',
    'ask a site more slowly: so many seconds from the end of one request to the next; 0 ends it',
    'example.org 60 --by "A. Operator" --note "asked by the owner"',
  )
    .argument('<site>', SITE)
    .argument('<seconds>', 'whole seconds; never faster than the programme itself')
    .action((domain: string, given: string, flags: ActFlags) => {
      const site = siteArgument(domain)
      const seconds = /^\d{1,8}$/.test(given) ? Number(given) : Number.NaN
      if (!(seconds <= PACE_MAX)) {
        const because = `not a number of seconds from 0 to ${PACE_MAX}: ${given.slice(0, 20)}`
        throw new Halt({ tag: 'WrongUse', because })
      }
      const event = { type: 'SitePaced', v: 1, site, ...actor(flags), seconds } as const
      return act(io, flags, (): EventOf<'SitePaced'> => event)
    })

export const leaveAloneVerb: Verb = (io) =>
  actVerb(
    'leave-alone',
    'never ask for a part of a site again, until a person readmits it (`readmit SITE --path`)',
    'example.org /permits/ --by "A. Operator" --note "asked by the owner"',
  )
    .argument('<site>', SITE)
    .argument('<path>', 'as in a Disallow line of robots.txt: where paths begin; * and $ as there')
    .action((domain: string, given: string, flags: ActFlags) => {
      const site = siteArgument(domain)
      const path = pathArgument(given)
      return act(io, flags, () => ({ type: 'PathExcluded', v: 1, site, ...actor(flags), path }))
    })

const pathArgument = (path: string): string => {
  if (/^[/*]/.test(path) && path.length <= PATH_LENGTH_MAX && path.isWellFormed()) return path
  throw new Halt({
    tag: 'WrongUse',
    because: `not a path: ${path.slice(0, 100)}; it begins with / (or *), and has at most ${PATH_LENGTH_MAX} characters`,
  })
}
