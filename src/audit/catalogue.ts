/** Every promise there is, by the page that makes it. `unjudged`: why no event can show it, if so. */

export type Family = 'PR' | 'PK' | 'RC' | 'CL'
export type PromiseId = `${Family}${number}`

export type PublicPromise = {
  readonly id: PromiseId
  readonly says: string
  /** Why the ledger alone cannot show it; undefined: rules judge it, or will. */
  readonly unjudged?: string
}

const promise = (id: PromiseId, says: string, unjudged?: string): PublicPromise => ({
  id,
  says,
  ...(unjudged === undefined ? {} : { unjudged }),
})

const NO_FACT = 'facts are rows of projections: no event says one'
const NO_EVENT = 'no event of the ledger says this yet'

const PLAIN_RECKONER: readonly PublicPromise[] = [
  promise('PR1', 'asks a publisher for three paths only, and follows redirects by their rules'),
  promise('PR2', 'asks for robots.txt first, and decides by it'),
  promise('PR3', 'asks for the homepage only if robots.txt permits it'),
  promise('PR4', 'reads the files that are exempt even where robots.txt disallows the site'),
  promise('PR5', 'asks for each file at most once a day'),
  promise('PR6', 'makes one request at a time to a site, with a pause between two'),
  promise('PR7', 'stops asking after so many failures in a row, until a person resumes the site'),
  promise('PR8', 'waits a Crawl-delay in full, and skips a site that wants a longer one'),
  promise('PR9', 'backs off when told that it asks too much, or refused'),
  promise('PR10', 'asks nothing more where robots.txt could not be reached'),
  promise('PR11', 'keeps robots.txt and ads.txt byte for byte'),
  promise('PR12', 'keeps nothing of a homepage but the answer and the host names behind it'),
  promise('PR13', 'sends and keeps nothing about persons: no cookie, form or login'),
  promise('PR14', 'stops reading pages on the very day on which a robots group says so'),
  promise('PR15', 'never asks an excluded site, and only a person can lift an exclusion'),
  promise('PR16', 'asks only sites that seller entries named, and says which'),
  promise(
    'PR17',
    'publishes findings with method and date',
    `${NO_EVENT}: findings are rows of projections`,
  ),
]

const PTA_KARO: readonly PublicPromise[] = [
  promise('PK1', 'reads only pages of its source list'),
  promise('PK2', 'reads one more website in a run by hand that allows it'),
  promise('PK3', 'follows no link'),
  promise('PK4', 'takes a fact only from the website it is credited to'),
  promise('PK5', 'makes facts by fixed rules, with time and address', NO_FACT),
  promise('PK6', 'reads robots.txt again in each job'),
  promise('PK7', 'uses no robots.txt older than a day for a page fetched by hand'),
  promise('PK8', 'reads a page only if robots.txt allows it'),
  promise('PK9', 'makes one request at a time, paced, and honours Crawl-delay'),
  promise('PK10', 'retries twice at most, and waits as long as it is told'),
  promise('PK11', 'leaves a site that refused it alone until the next night'),
  promise('PK12', 'asks conditionally for what it has read before'),
  promise('PK13', 'follows redirects itself, by robots.txt, and never to plain http'),
  promise('PK14', 'never goes around a refusal'),
  promise('PK15', 'asks once more in the night after a refusal'),
  promise('PK16', 'does what an owner asks for'),
]

const PUBLIC_RECORDS: readonly PublicPromise[] = [
  promise('RC1', 'opens each source every night'),
  promise('RC2', 'makes every request under one fixed name'),
  promise(
    'RC3',
    'prefers what is published for programs',
    'the ledger does not say what a source publishes: a person chooses its address',
  ),
  promise('RC4', 'uses search forms as a visitor would', 'this crawler fills in no form'),
  promise('RC5', 'follows no link off the page'),
  promise('RC6', 'reads older pages only in its first nights', 'this crawler reads no older pages'),
  promise('RC7', 'keeps a private copy of what it reads'),
  promise('RC8', 'makes one request at a time, paced'),
  promise('RC9', 'costs a source one or two requests a night'),
  promise('RC10', 'asks conditionally for what it has read before'),
  promise('RC11', 'stops at the end of its time, and never hurries'),
  promise('RC12', 'waits so long for an answer, and reads so much of it'),
  promise('RC13', 'retries twice at most, and only after some errors'),
  promise('RC14', 'reads robots.txt once a day'),
  promise('RC15', 'reads robots.txt by RFC 9309'),
  promise('RC16', 'never asks for a path that robots.txt disallows'),
  promise(
    'RC17',
    'reads the robots.txt of a host it is redirected to first, and follows few redirects',
  ),
  promise('RC18', 'takes a robots.txt that is not there for leave'),
  promise('RC19', 'asks nothing more where robots.txt could not be reached'),
  promise('RC20', 'stops on a no'),
  promise('RC21', 'signs in nowhere and carries no cookie'),
  promise('RC22', 'shows a no in its directory, and comes back the next night'),
  promise(
    'RC23',
    'leaves a source that a person marked as not read alone, but for a look now and then',
  ),
  promise('RC24', 'obeys its own robots group instead of the one for everybody'),
  promise('RC25', 'does what an owner asks for'),
  promise('RC26', 'logs every request'),
  promise(
    'RC27',
    'finds requests that a faulty reader let through',
    'see: audit robots --reader NAME@VERSION',
  ),
  promise('RC28', 'makes its first visits under the same rules'),
]

const LEDGER: readonly PublicPromise[] = [
  promise('CL1', 'writes every step down before the next one is taken'),
  promise('CL2', 'derives projections from events', 'a promise about code: see rebuild'),
  promise(
    'CL3',
    'lets anybody verify it offline',
    'a promise about copies of the ledger, not about its events',
  ),
  promise('CL4', 'gives everything a permanent address', 'a promise about pages, not about events'),
  promise('CL5', 'rebuilds without asking a site again', 'a promise about code: see rebuild'),
  promise('CL6', 'tells its state at any past moment', 'a promise about code: see state --at'),
]

export const PROMISES: Readonly<Record<Family, readonly PublicPromise[]>> = {
  PR: PLAIN_RECKONER,
  PK: PTA_KARO,
  RC: PUBLIC_RECORDS,
  CL: LEDGER,
}

/** The names of the programmes with a page of their own. */
const FAMILY_OF: ReadonlyMap<string, Family> = new Map([
  ['plain-reckoner', 'PR'],
  ['pta-karo', 'PK'],
  ['public-records-check', 'RC'],
])

/**
 * Whose promises a programme is held to. A programme without a page here is held to those of the
 * first: they take every parameter from its own policy.
 */
export const familyOf = (programme: string): Family => FAMILY_OF.get(programme) ?? 'PR'

/** The pages, each with the programme that made it. */
export const PAGES: readonly (readonly [programme: string, Family])[] = [...FAMILY_OF]
