import type { IssueCode } from './issue.ts'

/** What each issue code means, as a sentence part for people. */
export const ISSUE_MEANINGS: Readonly<Record<IssueCode, string>> = {
  truncated:
    'the file is longer than 512,000 bytes; no rule beyond them was read, so none of them counts (§2.5)',
  'utf-16': 'the file is UTF-16, not UTF-8; it was read all the same',
  html: 'the file starts like a web page, so it may not be a robots.txt at all; its tags were left out and what else it says was read',
  'not-utf8': 'these bytes are not UTF-8; they were compared as they stand',
  'too-long': 'the line is too long; a Disallow is cut, an Allow left out',
  nul: 'a NUL byte; a Disallow is cut there, an Allow left out',
  'no-record': 'this is no record and was skipped',
  'missing-colon': 'the colon is missing; read as if it were there, but for an Allow',
  typo: 'the key is misspelt; read as what it means here, but other crawlers may skip it',
  'unknown-key': 'nobody has defined this key; it was skipped',
  'one-line': 'several records on one line; read as the lines they mean, but most crawlers do not',
  'bad-token':
    'this is not a product token, so the line names no crawler that goes by the standard',
  'text-after-token': 'what follows the product token was not read',
  'rule-outside-group': 'this stands before the first User-agent line and was skipped (§2.2.2)',
  'shared-group':
    'this crawler shares the rules of those above it, as no rule stands between them (§2.2.4)',
  'bad-path': 'a pattern must start with / or *; this one can match nothing',
  'crawl-delay-invalid': 'this is not a number of seconds',
}
