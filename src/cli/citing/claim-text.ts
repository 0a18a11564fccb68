/** Claims and what they come to, for people. Statements are strangers' words: all of it is made safe. */
import { formatInstant } from '../../kernel/instant.ts'
import type { Basis } from '../../ledger/events/claim-published.ts'
import type { ClaimVerdict } from '../../publish/claim.ts'
import type { PublishedClaim } from '../../shell/citing/verify-claim.ts'
import { safe } from '../print.ts'

const VALUE_SHOWN_MAX = 300

const shown = (value: string | null): string => {
  if (value === null) return 'nothing'
  return value.length > VALUE_SHOWN_MAX ? `${value.slice(0, VALUE_SHOWN_MAX)}…` : value
}

const basisText = (basis: Basis): string => {
  switch (basis.kind) {
    case 'events':
      return 'rests on these events alone'
    case 'state': {
      const { projection, version, reader, site, where, column, value, at } = basis
      const row = where.map(({ column, value }) => `, ${column} ${value}`).join('')
      const read = reader === null ? '' : ` with ${reader}`
      return `${column} of ${site}${row} is ${shown(value)}, by ${projection}@${version}${read} as of position ${at}`
    }
    case 'reading':
      return `${basis.path.join('.')} is ${shown(basis.value)}, read by ${basis.reader} from what position ${basis.position} fetched`
  }
}

const lines = (...texts: readonly string[]): string =>
  texts.map((text) => `${safe(text)}\n`).join('')

/** Four lines. */
export const claimText = ({ position, ts, event }: PublishedClaim): string => {
  const { id, statement, by, cites, basis } = event
  const cited = cites.map((cite) => `${cite.position} (${cite.type})`).join(', ')
  return lines(
    `${id}  “${statement}”`,
    `  published by ${by}, ${formatInstant(ts)}, position ${position}`,
    `  cites ${cited}`,
    `  ${basisText(basis)}`,
  )
}

export const verdictText = (verdict: ClaimVerdict): string => {
  switch (verdict.verdict) {
    case 'holds': {
      const { value, by, since } = verdict
      return lines(
        by === null ? 'HOLDS: every event stands as cited' : `HOLDS: ${by} gives ${shown(value)}`,
        ...(since === null
          ? []
          : [`  changed since: now ${shown(since.value)}, by position ${since.position}`]),
      )
    }
    case 'changed':
      return lines(
        'CHANGED',
        `  claimed: ${shown(verdict.claimed)}`,
        `  found:   ${shown(verdict.found)}, by ${verdict.by}`,
      )
    case 'unverifiable':
      return lines('UNVERIFIABLE', ...verdict.because.map((because) => `  ${because}`))
  }
}
