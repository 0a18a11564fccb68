import { isCountry } from './country.ts'
import { foldDomain, hasRootDomain, isHostName, isRootDomain, isUrl } from '../domain.ts'
import type { AdsTxtFaultCode } from './fault.ts'

/**
 * A variable as declared (ads.txt 1.1 §3.5): name in upper case, domains folded to lower case, any
 * other value as written. `ignored: true`: it is declared, but by the rules it has no effect.
 */
export type AdsTxtVariable = {
  readonly line: number
  readonly name: string
  readonly value: string
  readonly country?: string
  readonly ignored?: true
}

/** Whose file is read: what SUBDOMAIN and INVENTORYPARTNERDOMAIN depend on. */
export type AdsTxtContext = {
  /** The domain whose file this is. Unknown: nothing that depends on it is judged. */
  readonly domain?: string
  readonly file?: 'ads.txt' | 'app-ads.txt'
  /** How many INVENTORYPARTNERDOMAIN pointers led here. */
  readonly hop?: number
}

export type VariableReading = {
  readonly variable: Omit<AdsTxtVariable, 'line'> | undefined
  readonly faults: readonly AdsTxtFaultCode[]
}

/** The name has no inner white space, and no comma stands before the `=` (else it is a record). */
const DECLARATION = /^([A-Za-z][\w-]*)([ \t]*)=([ \t]*)(.*)$/s
const WITH_COLON = /^(?:contact|subdomain|inventorypartnerdomain|ownerdomain|managerdomain)[ \t]*:/i

/** Reads a line without its comment; undefined if it is no variable. */
export const readVariable = (
  content: string,
  context: AdsTxtContext,
): VariableReading | undefined => {
  if (WITH_COLON.test(content)) return { variable: undefined, faults: ['V_COLON'] }
  const declared = DECLARATION.exec(content)
  if (declared === null) return undefined
  const [, written = '', before = '', after = '', rest = ''] = declared
  const name = written.toUpperCase()
  const value = rest.trim()
  const reading =
    value === '' ? refused('V_EMPTY') : (RULES.get(name) ?? unknownVariable)(name, value, context)
  return before === '' && after === ''
    ? reading
    : { ...reading, faults: ['V_SPACES', ...reading.faults] }
}

type Rule = (name: string, value: string, context: AdsTxtContext) => VariableReading

const refused = (code: AdsTxtFaultCode): VariableReading => ({
  variable: undefined,
  faults: [code],
})

const unknownVariable: Rule = (name, value) => ({
  variable: { name, value },
  faults: ['V_UNKNOWN'],
})

const contact: Rule = (name, value) => ({ variable: { name, value }, faults: [] })

/** Commas and blanks at the end mean nothing. A loop: a pattern would try again at every blank. */
const withoutTail = (value: string): string => {
  let end = value.length
  while (end > 0 && ' \t,'.includes(value.charAt(end - 1))) end -= 1
  return value.slice(0, end)
}

/** A value that must be a domain; `then` says what more is asked of it. */
const domainRule =
  (then: Rule): Rule =>
  (name, value, context) => {
    const bare = withoutTail(value)
    if (bare === '') return refused('V_EMPTY')
    if (isUrl(bare)) return refused('V_DOMAIN_IS_URL')
    const domain = foldDomain(bare)
    return isHostName(domain) && hasRootDomain(domain)
      ? then(name, domain, context)
      : refused('V_DOMAIN_INVALID')
  }

const root: Rule = (name, value) => ({
  variable: { name, value },
  faults: isRootDomain(value) ? [] : ['V_DOMAIN_NOT_ROOT'],
})

/** §3.5.1: a subdomain of this root, in the root's own ads.txt; app-ads.txt 1.0 ignores it. */
const subdomain: Rule = (name, value, context) => {
  const fault = subdomainFault(value, context)
  return fault === undefined
    ? { variable: { name, value }, faults: [] }
    : { variable: { name, value, ignored: true }, faults: [fault] }
}

const subdomainFault = (value: string, context: AdsTxtContext): AdsTxtFaultCode | undefined => {
  if (context.file === 'app-ads.txt') return 'V_SUBDOMAIN_IN_APPADS'
  if (context.domain === undefined) return undefined
  const own = foldDomain(context.domain)
  if (hasRootDomain(own) && !isRootDomain(own)) return 'V_SUBDOMAIN_IN_SUBDOMAIN'
  return value.endsWith(`.${own}`) ? undefined : 'V_SUBDOMAIN_FOREIGN'
}

/** §5.7: one hop only. */
const partner: Rule = (name, value, { hop = 0 }) =>
  hop > 0
    ? { variable: { name, value, ignored: true }, faults: ['V_IPD_SECOND_HOP'] }
    : { variable: { name, value }, faults: [] }

/** §3.5.1: `domain[, country]`, blank for every country without a manager of its own. */
const manager: Rule = (name, value, context) => {
  const comma = value.indexOf(',')
  const country = comma < 0 ? '' : value.slice(comma + 1).trim()
  const domain = domainRule(root)(name, comma < 0 ? value : value.slice(0, comma), context)
  if (domain.variable === undefined || country === '') return domain
  const code = country.toUpperCase()
  return isCountry(code)
    ? { ...domain, variable: { ...domain.variable, country: code } }
    : {
        variable: { ...domain.variable, country: code, ignored: true },
        faults: [...domain.faults, 'V_COUNTRY_INVALID'],
      }
}

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['CONTACT', contact],
  ['SUBDOMAIN', domainRule(subdomain)],
  ['INVENTORYPARTNERDOMAIN', domainRule(partner)],
  ['OWNERDOMAIN', domainRule(root)],
  ['MANAGERDOMAIN', manager],
])
