import type { Recorded } from '../../ledger/entry.ts'
import { isOf } from '../exchange.ts'
import { type Finding, ofRequests, type Rule, wrongs } from '../rule.ts'

/** All that a request may say: who asks, and in which form it would like the answer. */
const SENT: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'if-modified-since',
  'if-none-match',
  'user-agent',
])

/** Answers that would identify a visitor, or let one in. */
const SECRET: ReadonlySet<string> = new Set([
  'authentication-info',
  'authorization',
  'cookie',
  'proxy-authentication-info',
  'proxy-authorization',
  'set-cookie',
  'set-cookie2',
])
const NOT_RECORDED = '(not recorded)'

const sent = ({ event }: Recorded<'RequestSent'>): Finding => {
  const more = event.headers.map(([name]) => name.toLowerCase()).filter((name) => !SENT.has(name))
  return wrongs([more.length > 0, () => `${event.url} was asked with ${more.join(', ')}`])
}

const received = ({ event }: Recorded<'ResponseReceived'>): Finding => {
  const secrets = event.headers.filter(
    ([name, value]) => SECRET.has(name.toLowerCase()) && value !== NOT_RECORDED,
  )
  const names = secrets.map(([name]) => name.toLowerCase()).join(', ')
  return wrongs([secrets.length > 0, () => `a value of ${names} from ${event.url} is recorded`])
}

/** PR13, RC21: no cookie, form or login goes out, and none that came is kept. */
export const anonymous: Rule = {
  promises: ['PR13', 'RC21'],
  looksAt: 'the headers of every request and every answer',
  begin: () => (recorded) => {
    if (isOf(recorded, 'RequestSent')) return sent(recorded)
    return isOf(recorded, 'ResponseReceived') ? received(recorded) : undefined
  },
}

/** PR3, PK14, RC2: robots.txt is asked for the agent that asks: one name, always the same. */
export const agent: Rule = {
  promises: ['PR3', 'PK14', 'RC2'],
  looksAt: 'the User-Agent of every request',
  begin: ofRequests(({ event }, { policy }) => {
    const names = event.headers.filter(([name]) => name.toLowerCase() === 'user-agent')
    const is = names.length === 1 && names[0]?.[1] === policy.userAgent
    return is ? [] : [`${event.url} was asked under another name than ${policy.userAgent}`]
  }),
}
