import { canonicalSystem, isGoogleAccount, PLACEHOLDER_DOMAIN } from './ad-system.ts'
import { foldDomain, isHostName, isUrl } from '../domain.ts'
import type { AdsTxtFaultCode } from './fault.ts'
import { fieldsMissing, relationMissing, separatorMissing } from './record-fault.ts'

export type Relation = 'DIRECT' | 'RESELLER'

/**
 * One authorisation (ads.txt 1.1 §3.3). `domain` is folded to lower case, `account` is exact to the
 * letter. `basis: lenient`: a strict reader may not see this record, so it is at risk.
 */
export type AdsTxtRecord = {
  readonly line: number
  readonly domain: string
  readonly account: string
  readonly rel: Relation
  readonly cert?: string
  readonly ext?: string
  readonly basis?: 'lenient'
}

/** What one line holds when read as a record; `fields` is undefined when it gives none. */
export type RecordReading = {
  readonly fields: Omit<AdsTxtRecord, 'line'> | undefined
  readonly faults: readonly AdsTxtFaultCode[]
}

/** More commas than this are not counted: the line is broken either way. */
const FIELDS_MAX = 64

const nothing = (code: AdsTxtFaultCode): RecordReading => ({ fields: undefined, faults: [code] })

/** Reads a line without its comment. */
export const readRecord = (content: string): RecordReading => {
  if (!content.includes(',')) {
    const tabbed = content.split(/\t+/, FIELDS_MAX).map((field) => field.trim())
    if (tabbed.length < 3 || relationOf(tabbed[2]) === undefined)
      return nothing(separatorMissing(content))
    return withFault(readFields(tabbed, undefined), 'L_SEPARATOR_TAB')
  }
  const semicolon = content.indexOf(';')
  const body = semicolon < 0 ? content : content.slice(0, semicolon)
  const ext = semicolon < 0 ? '' : content.slice(semicolon + 1).trim()
  const fields = body.split(',', FIELDS_MAX).map((field) => field.trim())
  return readFields(fields, ext === '' ? undefined : ext)
}

/** Adds a fault that only a lenient reader forgives. */
const withFault = (reading: RecordReading, code: AdsTxtFaultCode): RecordReading =>
  reading.fields === undefined
    ? reading
    : { fields: { ...reading.fields, basis: 'lenient' }, faults: [code, ...reading.faults] }

const readFields = (written: readonly string[], ext: string | undefined): RecordReading => {
  const last = written.findLastIndex((field) => field !== '')
  const fields = written.slice(0, last + 1)
  if (fields.length < 3) return nothing(fieldsMissing(fields, ext))
  const several = firstOfSeveral(fields)
  if (several !== undefined) return withFault(several, 'L_MULTI_RECORD')
  const noted = cutNote(fields[2] ?? '')
  const rel = relationOf(noted.value)
  if (rel === undefined) return nothing(relationMissing(fields))
  const reading = recordOf(fields, rel, ext)
  if (reading.fields === undefined) return reading
  const faults: readonly AdsTxtFaultCode[] = last + 1 < written.length ? ['L_TRAILING_COMMA'] : []
  const all = { ...reading, faults: [...faults, ...reading.faults] }
  return noted.cut ? withFault(all, 'L_COMMENT_MARKER') : all
}

/** `DIRECT`, `RESELLER` in any case (§3.3), or undefined. */
export const relationOf = (field: string | undefined): Relation | undefined => {
  const upper = field?.toUpperCase()
  return upper === 'DIRECT' || upper === 'RESELLER' ? upper : undefined
}

/** A remark that begins with `//` or `--` instead of `#`. */
const cutNote = (field: string): { readonly value: string; readonly cut: boolean } => {
  const mark = /\s(?:\/\/|--)/.exec(field)
  return mark === null
    ? { value: field, cut: false }
    : { value: field.slice(0, mark.index), cut: true }
}

const RELATION_THEN_DOMAIN = /^(direct|reseller)\s*(?:[a-z0-9-]+\.)+[a-z]{2,}$/i
const ENDS_IN_DOMAIN = /(?:^|[^.])(?:[a-z0-9-]+\.)+[a-z]{2,}$/i

/** Line ends were lost: the next record begins inside the third or the fourth field. */
const firstOfSeveral = (fields: readonly string[]): RecordReading | undefined => {
  const glued = RELATION_THEN_DOMAIN.exec(fields[2] ?? '')?.[1]
  if (glued !== undefined && startsWithRelation(fields[4]))
    return recordOf(fields.slice(0, 2), relationOf(glued) ?? 'DIRECT', undefined)
  const rel = relationOf(fields[2])
  if (rel === undefined || !startsWithRelation(fields[5])) return undefined
  return ENDS_IN_DOMAIN.test(fields[3] ?? '')
    ? recordOf(fields.slice(0, 2), rel, undefined)
    : undefined
}

const startsWithRelation = (field: string | undefined): boolean =>
  field !== undefined && /^(direct|reseller)/i.test(field)

/** The record of fields whose relationship is known to be good. */
const recordOf = (
  fields: readonly string[],
  rel: Relation,
  ext: string | undefined,
): RecordReading => {
  const [written = '', id = '', , certified = ''] = fields
  const domain = foldDomain(written)
  const fault = domainFault(written, domain)
  if (fault !== undefined) return nothing(fault)
  if (id === '') return nothing('L_ACCOUNT_EMPTY')
  if (domain === PLACEHOLDER_DOMAIN) return { fields: { domain, account: id, rel }, faults: [] }
  const cert = cutNote(certified)
  const extra = fields.length > 4
  const record = {
    domain,
    account: unescape(id),
    rel,
    ...(cert.value === '' ? {} : { cert: cert.value }),
    ...(ext === undefined ? {} : { ext }),
  }
  return {
    fields: extra || /\s/.test(id) ? { ...record, basis: 'lenient' } : record,
    faults: [
      ...domainDoubts(domain),
      ...accountDoubts(domain, id),
      ...certDoubts(cert),
      ...(extra ? (['L_FIELDS_EXTRA'] as const) : []),
    ],
  }
}

/** Why field 1 names no advertising system (§3.4.2: a host name by RFC 1123). */
const domainFault = (written: string, domain: string): AdsTxtFaultCode | undefined => {
  if (isUrl(written)) return 'L_DOMAIN_IS_URL'
  if (isHostName(domain)) return undefined
  return canonicalSystem(domain) === undefined ? 'L_DOMAIN_INVALID' : 'L_DOMAIN_ALIAS'
}

const domainDoubts = (domain: string): readonly AdsTxtFaultCode[] => {
  if (domain.startsWith('www.')) return ['L_DOMAIN_WWW']
  return canonicalSystem(domain) === undefined ? [] : ['L_DOMAIN_ALIAS']
}

/** Ids nobody was given: form fields left unfilled, and numbers a spreadsheet rounded. */
const PLACEHOLDER =
  /^(?:x{3,}|0+|n\/?a|none|null|nan|undefined|tbd|todo|change-?me|test|account|sample|example|(?:.*[-_ ])?(?:your|my|insert|replace|enter)[-_ ].*|.*(?:account|publisher|seller|pub)[-_ ]?id|.*x{4,}|[<[{(].*|.*\$\{.*|[+-]?\d(?:[.]\d+)?e\+\d+)$/i

const accountDoubts = (domain: string, id: string): readonly AdsTxtFaultCode[] => {
  if (/\s/.test(id)) return ['L_ACCOUNT_WHITESPACE']
  if (domain === 'google.com') return isGoogleAccount(id) ? [] : ['L_GOOGLE_ID']
  return PLACEHOLDER.test(id) ? ['L_ACCOUNT_SUSPECT'] : []
}

/** TAG ids are 16 hexadecimal digits; the standard's own samples are short. */
const isCertificate = (cert: string): boolean =>
  /^[0-9a-f]{16}$/.test(cert) || (/^[0-9a-z]{1,10}$/i.test(cert) && relationOf(cert) === undefined)

const certDoubts = ({ value, cut }: ReturnType<typeof cutNote>): readonly AdsTxtFaultCode[] => [
  ...(cut ? (['L_COMMENT_MARKER'] as const) : []),
  ...(value === '' || isCertificate(value) ? [] : (['L_CERT_SUSPECT'] as const)),
]

/** §3.4.2: what a field may not hold is URL-encoded. A lone `%` is a character like any other. */
const unescape = (field: string): string => {
  if (!/%[0-9a-f]{2}/i.test(field)) return field
  try {
    return decodeURIComponent(field)
  } catch {
    return field
  }
}
