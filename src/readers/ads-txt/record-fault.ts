import type { AdsTxtFaultCode } from './fault.ts'

/** Which one word names best why a line is no record. Only asked when it is none. */

const RELATION = /^(?:direct|reseller)$/i
/** `RESELLER 50b1c356f2c5c8fc`, `RESELLERe1a5b5b6e3255540`: the comma before the certificate is lost. */
const RELATION_THEN_CERT =
  /^(?:direct|reseller)(?:\s+(?=[^\s]*\d)[0-9a-z<>()]{4,}|[0-9a-f]{6,}|\s*[\s.;:]\s*[0-9a-f]{6,})$/i
/** `XF436 DIRECT`, `6022acddc8b2f9RESELLER`: the comma after the account is lost. */
const ENDS_IN_RELATION = /[^\s](?:\s+|(?<=[0-9a-z]))(?:direct|reseller)$/i
const DOMAIN_THEN_MORE = /^\S+\.[a-z]{2,}\s+\S/i
const BEGINS_WITH_DOMAIN = /^(?:[a-z0-9-]+\.)+[a-z]{2,}/i
const HOLDS_RELATION = /direct|reseller/i

const isRelation = (field: string): boolean => RELATION.test(field)
const hasPipe = (fields: readonly string[]): boolean => fields.some((field) => field.includes('|'))

/** The line has no comma. */
export const separatorMissing = (content: string): AdsTxtFaultCode => {
  const related = HOLDS_RELATION.test(content)
  if (related && content.includes('|')) return 'L_SEPARATOR_PIPE'
  if (related && content.includes(';')) return 'L_SEPARATOR_SEMICOLON'
  if (related && BEGINS_WITH_DOMAIN.test(content)) return 'L_SEPARATOR_MISSING'
  return /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(content) ? 'L_FIELDS_MISSING' : 'L_UNRECOGNISED'
}

/** The line has commas, but fewer than three fields. */
export const fieldsMissing = (
  fields: readonly string[],
  ext: string | undefined,
): AdsTxtFaultCode => {
  if (ext !== undefined && HOLDS_RELATION.test(ext)) return 'L_SEPARATOR_SEMICOLON'
  if (hasPipe(fields) && fields.some((field) => HOLDS_RELATION.test(field)))
    return 'L_SEPARATOR_PIPE'
  if (commaLost(fields)) return 'L_COMMA_MISSING'
  // A sentence with a comma in it is no attempt at a record.
  const [first = ''] = fields
  const prose = /\s/.test(first) && !BEGINS_WITH_DOMAIN.test(first)
  return prose ? 'L_UNRECOGNISED' : 'L_FIELDS_MISSING'
}

/** The third field is not a relationship. */
export const relationMissing = (fields: readonly string[]): AdsTxtFaultCode => {
  if (commaLost(fields)) return 'L_COMMA_MISSING'
  if (hasPipe(fields) && fields.some((field) => HOLDS_RELATION.test(field)))
    return 'L_SEPARATOR_PIPE'
  return fields.some(isRelation) ? 'L_REL_MISPLACED' : 'L_REL_INVALID'
}

const commaLost = (fields: readonly string[]): boolean => {
  const [first = '', second = '', third = ''] = fields
  if (DOMAIN_THEN_MORE.test(first) && isRelation(second)) return true
  if (DOMAIN_THEN_MORE.test(first) && ENDS_IN_RELATION.test(first)) return true
  return ENDS_IN_RELATION.test(second) || RELATION_THEN_CERT.test(third)
}
