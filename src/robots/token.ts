/** What a User-agent line names. `name` is as written: `*`, or '' where no product token stands. */
export type NamedAgent = { readonly name: string; readonly rest: string }

/**
 * The product token at the start of a User-agent value (RFC 9309 §2.2.1). What follows it, such as
 * `/2.0`, is not part of it. Digits are no part of a product token, but they do make it another
 * name: `FooBot2` is not FooBot.
 */
export const namedAgent = (value: string): NamedAgent => {
  if (/^\*(?:[ \t]|$)/.test(value)) return { name: '*', rest: value.slice(1) }
  const name = /^[A-Za-z0-9_-]+/.exec(value)?.[0] ?? ''
  return { name, rest: value.slice(name.length) }
}

/** Tokens are compared whole and without regard to case (RFC 9309 §2.2.1). No name names nobody. */
export const sameToken = (a: string, b: string): boolean =>
  a !== '' && a.length === b.length && a.toLowerCase() === b.toLowerCase()

/** `PoliteBot/1.0 (…)` is asked about as PoliteBot: a version is no part of a product token. */
export const tokenOf = (userAgent: string): string =>
  userAgent.replace(/^([A-Za-z0-9_-]+)\/.*$/s, '$1')
