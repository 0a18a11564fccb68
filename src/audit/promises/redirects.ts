import { E } from '../../kernel/fp.ts'
import { type HttpUrl, parseHttpUrl, pathOf, schemeOf, siteOf } from '../../kernel/url.ts'
import type { Recorded } from '../../ledger/entry.ts'
import type { Policy } from '../../programmes/policy.ts'
import type { FetchRule } from '../../programmes/fetch-rule.ts'
import { isOf } from '../exchange.ts'
import type { Past } from '../past.ts'
import { type Finding, type Rule, wrongs } from '../rule.ts'

/** Where a fetch of this kind may be led on to; an empty text if it may. */
const forbidden = (rule: FetchRule['redirects'], step: Step): string => {
  const { target, from, to } = step
  if (schemeOf(from) === 'https' && schemeOf(to) === 'http') return 'from https to http'
  switch (rule) {
    case 'robots':
      return ''
    case 'iab':
      // ads.txt 1.1 §3.1: any number within the site, one step out of it, and none from there.
      return siteOf(from) === siteOf(target) ? '' : 'a second time outside the site'
    case 'root-of-site':
      return siteOf(to) === siteOf(target) && pathOf(to) === '/' ? '' : 'to no root of the site'
    case 'same-site':
      return siteOf(to) === siteOf(target) ? '' : 'off its site'
  }
}

type Step = { readonly target: HttpUrl; readonly from: HttpUrl; readonly to: HttpUrl }

const followed = (
  { event }: Recorded<'RedirectDecided'>,
  policy: Policy,
): readonly string[] | undefined => {
  const { verdict, to, target, from, purpose, location, hop } = event
  if (verdict === 'refuse') return []
  const rule = policy.fetch[purpose]
  if (rule === undefined) return [`a redirect of a fetch for ${purpose} was followed`]
  const { redirects, maxRedirects } = rule
  if (to === null) return [`a redirect from ${from} was followed to nowhere`]
  const meant = location === null ? undefined : parseHttpUrl(utf8(location), from)
  const is = meant !== undefined && E.isRight(meant) && meant.right === to
  const why = forbidden(redirects, { target, from, to })
  return wrongs(
    [why !== '', () => `a redirect from ${from} to ${to} was followed ${why}`],
    [
      hop > maxRedirects,
      () => `redirect ${hop} to ${to} was followed, over the limit of ${maxRedirects}`,
    ],
    // A location that is no ASCII has several readings; only a plain one can be held against us.
    [
      !is && isPlain(location),
      () => `a redirect from ${from} was followed to ${to}, which it does not name`,
    ],
  )
}

const isPlain = (location: string | null): boolean =>
  location === null || /^[\x21-\x7e]*$/.test(location)
const utf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8')

/** A later hop is the step that a redirect of the hop before was followed to. */
const hop = ({ event }: Recorded<'RequestSent'>, past: Past): Finding => {
  const { via, url, target, programme, purpose } = event
  if (event.hop === 0)
    return via === null ? undefined : [`${url} names a redirect that led nowhere`]
  const before = via === null ? undefined : past.exchange(via)
  const led =
    before?.followed === url &&
    before.target === target &&
    before.programme === programme &&
    before.purpose === purpose &&
    before.hop === event.hop - 1
  return led ? [] : [`${url} was asked as hop ${event.hop}, but no redirect was followed there`]
}

/** PR1, PK13, RC17: each step of a redirect is decided by the rule of its file, and recorded. */
export const redirects: Rule = {
  promises: ['PR1', 'PK13', 'RC17'],
  looksAt: 'every redirect that was followed, and every request that followed one',
  begin:
    () =>
    (recorded, { policy, past }) => {
      if (policy === undefined) return undefined
      if (isOf(recorded, 'RedirectDecided')) return followed(recorded, policy)
      return isOf(recorded, 'RequestSent') ? hop(recorded, past) : undefined
    },
}
