/**
 * Every fault an ads.txt reading can name. `error`: the line or file gives nothing. `warning`: it is
 * kept, but a stricter reader may drop it or read it otherwise. `info`: harmless, worth knowing.
 * The sentences are for people: a site owner must see what to change.
 */
export type Severity = 'error' | 'warning' | 'info'

export type FaultMeaning = { readonly severity: Severity; readonly says: string }

const error = (says: string): FaultMeaning => ({ severity: 'error', says })
const warning = (says: string): FaultMeaning => ({ severity: 'warning', says })
const info = (says: string): FaultMeaning => ({ severity: 'info', says })

/** F_ the whole file, L_ a record's line, V_ a variable's line. */
export const ADS_TXT_FAULTS = {
  F_EMPTY: error('The file is empty; an empty file says nothing (ads.txt 1.1 §3.2.1).'),
  F_HTML: error('This is a web page, not an ads.txt file.'),
  F_BINARY: error('This is not text.'),
  F_NO_RECORDS: error('No line of the file is a usable record.'),
  F_TOO_MANY_LINES: error('The file is too long: it was read up to this line and no further.'),
  F_NOT_UTF8: warning('The file is not UTF-8; it was read as windows-1252.'),
  F_UTF16: warning('The file is UTF-16; many readers cannot read it.'),
  F_PLACEHOLDER_WITH_RECORDS: warning(
    'The placeholder that means "nobody may sell" stands beside real records; it is ignored.',
  ),
  F_TOO_MANY_FAULTS: warning('Faults from this line on are not listed.'),
  F_BOM: info('The file begins with a byte-order mark.'),
  L_FIELDS_MISSING: error('A record needs at least three fields: domain, account, relationship.'),
  L_REL_INVALID: error('The third field must be DIRECT or RESELLER.'),
  L_REL_MISPLACED: error('DIRECT or RESELLER stands in the wrong field.'),
  L_DOMAIN_INVALID: error('The first field is not a domain name.'),
  L_DOMAIN_IS_URL: error('The first field is a URL; it must be a bare domain name.'),
  L_ACCOUNT_EMPTY: error('The account id is empty.'),
  L_COMMA_MISSING: error('A comma between two fields is missing.'),
  L_SEPARATOR_MISSING: error('The fields are not separated by commas.'),
  L_SEPARATOR_SEMICOLON: error('The fields are separated by semicolons instead of commas.'),
  L_SEPARATOR_PIPE: error('The fields are separated by | instead of commas.'),
  L_QUOTES: error('The line holds quotation marks; fields are written without them.'),
  L_FULLWIDTH: error('The line holds full-width characters where plain ones are needed.'),
  L_UNRECOGNISED: error('The line is neither a record, nor a variable, nor a comment.'),
  L_LINE_TOO_LONG: warning('The line is too long; only its beginning was read.'),
  L_MULTI_RECORD: warning('Several records stand on one line; at best the first one counts.'),
  L_FIELDS_EXTRA: warning('The record has more than four fields.'),
  L_SEPARATOR_TAB: warning('The fields are separated by tabs instead of commas.'),
  L_INVISIBLE: warning('The line holds invisible characters.'),
  L_ODD_SPACE: warning('The line holds unusual white space, such as a no-break space.'),
  L_ACCOUNT_WHITESPACE: warning('The account id holds white space.'),
  L_ACCOUNT_SUSPECT: warning('The account id looks like a placeholder or a spreadsheet’s number.'),
  L_GOOGLE_ID: warning('A google.com account id must be pub- and 16 digits.'),
  L_DOMAIN_ALIAS: warning('This is not the name the advertising system uses for itself.'),
  L_DOMAIN_WWW: warning('Advertising systems are named without www.'),
  L_COMMENT_MARKER: warning('Comments begin with #; this line begins with something else.'),
  L_TRAILING_COMMA: info('The record ends with a comma.'),
  L_CERT_SUSPECT: info('The certification id does not look like one (16 hexadecimal digits).'),
  L_DUPLICATE: info('The same record stands on an earlier line.'),
  L_CONFLICT_REL: info('The same account is listed both as DIRECT and as RESELLER.'),
  V_COLON: error('A variable is written NAME=VALUE, with = and not with a colon.'),
  V_EMPTY: error('The variable has no value.'),
  V_DOMAIN_IS_URL: error('The value is a URL; it must be a bare domain name.'),
  V_DOMAIN_INVALID: error('The value is not a domain name.'),
  V_DUP_OWNER: warning('OWNERDOMAIN stands more than once; only the first counts.'),
  V_DUP_MANAGER_COUNTRY: warning(
    'Two MANAGERDOMAIN lines are for the same country; none of them counts.',
  ),
  V_COUNTRY_INVALID: warning('The country is not an ISO 3166-1 code of two letters.'),
  V_DOMAIN_NOT_ROOT: warning('The value must be a root domain (public suffix plus one label).'),
  V_SUBDOMAIN_FOREIGN: warning('SUBDOMAIN may only name a subdomain of this very site.'),
  V_SUBDOMAIN_IN_SUBDOMAIN: warning('SUBDOMAIN counts only in the file of the root domain.'),
  V_SUBDOMAIN_IN_APPADS: warning('SUBDOMAIN has no meaning in app-ads.txt.'),
  V_IPD_SECOND_HOP: warning('A partner’s own INVENTORYPARTNERDOMAIN is not followed.'),
  V_SPACES: info('White space stands around the = sign.'),
  V_UNKNOWN: info('This variable is not part of ads.txt 1.1; it is kept as it is.'),
} as const satisfies Readonly<Record<string, FaultMeaning>>

export type AdsTxtFaultCode = keyof typeof ADS_TXT_FAULTS

/** `line` is 1-based; 0 means the file as a whole. `of`: the earlier line this one repeats. */
export type AdsTxtFault = {
  readonly line: number
  readonly code: AdsTxtFaultCode
  readonly of?: number
}
