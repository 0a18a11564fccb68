import { fileURLToPath } from 'node:url'
import { readText } from '../compose.ts'
import { E } from '../kernel/fp.ts'
import type { Ledger } from '../ledger/port.ts'
import { POLICY_LENGTH_MAX } from '../ledger/events/programme-adopted.ts'
import { parsePolicy } from '../programmes/policy-file.ts'
import type { Policy } from '../programmes/policy.ts'
import { parseSources, sourceKindOf, type Source } from '../programmes/sources.ts'
import { latestSources } from '../shell/adopt.ts'
import { Halt } from '../shell/halt.ts'
import type { Site } from '../kernel/site.ts'
import { siteArgument } from './site-argument.ts'

/** The programmes that come with the product; any other word is a path to a policy file. */
const SHIPPED: ReadonlyMap<string, URL> = new Map([
  ['plain-reckoner', new URL('../programmes/plain-reckoner/policy.json', import.meta.url)],
  ['pta-karo', new URL('../programmes/pta-karo/policy.json', import.meta.url)],
  [
    'public-records-check',
    new URL('../programmes/public-records-check/policy.json', import.meta.url),
  ],
])

export const SHIPPED_NAMES: readonly string[] = [...SHIPPED.keys()]

/** What a verb says of its PROGRAMME argument. */
export const PROGRAMME_ARGUMENT = `${SHIPPED_NAMES.join(', ')}, or the path of a policy file`
export const SOURCES_OPTION =
  'the addresses to start from (ad networks’ sellers.json, or pages), one a line; else as last time'

export type Programme = { readonly policy: Policy; readonly policyText: string }

export const programmeOf = (file: string, policyText: string): Programme => {
  if (policyText.length > POLICY_LENGTH_MAX) {
    const because = `${file} is longer than the ${POLICY_LENGTH_MAX} characters a policy may have`
    throw new Halt({ tag: 'WrongUse', because })
  }
  const policy = parsePolicy(file, policyText)
  if (E.isLeft(policy)) throw new Halt(policy.left)
  return { policy: policy.right, policyText }
}

/** A programme by name or by the path of its policy file. */
export const loadProgramme = async (nameOrPath: string): Promise<Programme> => {
  const shipped = SHIPPED.get(nameOrPath)
  if (shipped === undefined && !nameOrPath.includes('/') && !nameOrPath.endsWith('.json')) {
    const known = [...SHIPPED.keys()].join(', ')
    throw new Halt({
      tag: 'WrongUse',
      because: `no programme ${nameOrPath}: give one of ${known}, or the path of a policy file`,
    })
  }
  const file = shipped === undefined ? nameOrPath : fileURLToPath(shipped)
  return programmeOf(nameOrPath, await readText(file))
}

/** The sources of a file, or else the list that the ledger has of an earlier run. */
export const loadSources = async (
  file: string | undefined,
  ledger: Ledger,
  policy: Policy,
): Promise<readonly Source[]> => {
  if (file === undefined) {
    const latest = await latestSources(ledger, policy.name)
    if (latest.length > 0) return latest
    throw new Halt({
      tag: 'WrongUse',
      because: `give --sources FILE: ${SOURCES_OPTION}`.replace('; else as last time', ''),
    })
  }
  const sources = parseSources(file, await readText(file), sourceKindOf(policy))
  if (E.isLeft(sources)) throw new Halt(sources.left)
  return sources.right
}

/** Sites of `--also`, which only a programme that is bound to its source list has a use for (PK2). */
export const alsoOf = (policy: Policy, given: readonly string[] | undefined): readonly Site[] => {
  if (given === undefined) return []
  if (policy.scope === 'sources') return given.map(siteArgument)
  throw new Halt({
    tag: 'WrongUse',
    because: `${policy.name} is not bound to the websites of its source list: --also has no meaning`,
  })
}
