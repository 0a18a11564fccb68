/**
 * What a robots.txt line has that its owner may not have meant. An issue never voids a file: every
 * line that can be used is used (RFC 9309 §2.3.1.5). The list is closed, so that it can be counted.
 */
export type IssueCode =
  /** Over 512,000 octets: the rest was not read (RFC 9309 §2.5). */
  | 'truncated'
  /** The file is UTF-16, read as if it were UTF-8. */
  | 'utf-16'
  /** The file starts like an HTML page: its tags are left out. */
  | 'html'
  /** Octets that are not UTF-8; they are compared as they stand. */
  | 'not-utf8'
  /** Longer than a line may be: a Disallow is cut there, an Allow is left out. */
  | 'too-long'
  /** A NUL octet: a Disallow is cut there, an Allow is left out. */
  | 'nul'
  /** Text that is no record at all. */
  | 'no-record'
  /** `Disallow /x`: read as if the colon were there, but for an Allow. */
  | 'missing-colon'
  /** A key that is misspelt in a way we know: read as the key it means. */
  | 'typo'
  /** A key nobody has defined: ignored. */
  | 'unknown-key'
  /** Several records on one line: read as the lines they mean. */
  | 'one-line'
  /** No product token: the line opens a group that binds nobody we know. */
  | 'bad-token'
  /** Text after the product token: ignored. */
  | 'text-after-token'
  /** A rule or Crawl-delay before the first User-agent line: ignored (RFC 9309 §2.2.2). */
  | 'rule-outside-group'
  /** A blank line or another record inside a run of User-agent lines: the rules are shared. */
  | 'shared-group'
  /** A pattern that starts with neither `/` nor `*`: it can match nothing. */
  | 'bad-path'
  /** Not a decimal number of seconds: ignored. */
  | 'crawl-delay-invalid'

/** `line` is 1-based; 0 speaks of the whole file. */
export type Issue = { readonly line: number; readonly code: IssueCode }

/** At most so many are listed, from the top; all are counted. */
export const ISSUES_LISTED_MAX = 200
