/** How one kind of file is fetched: a part of a policy. */
import { integer, nullable, oneOf, t, text } from '../kernel/codec.ts'

/** What may stand in a header field: one line of printable ASCII. */
export const HeaderValue = t.refinement(
  text(200),
  (s) => /^[\x20-\x7e]+$/.test(s),
  'one line of printable ASCII',
)

export const FetchRule = t.exact(
  t.type({
    /** The path asked at the site's own origin; null: the address comes from the source list. */
    path: nullable(text(200)),
    /** May be asked although robots.txt disallows it (PR4). */
    exemptFromRobots: t.boolean,
    /** Kept byte for byte, or discarded after its one question is answered (PR11, PR12). */
    keep: oneOf('as-served', 'discard'),
    maxBytes: integer(1, 268_435_456),
    accept: HeaderValue,
    /**
     * `robots`: RFC 9309 §2.3.1.2, to any host · `iab`: ads.txt 1.1 §3.1 · `root-of-site`: only to `/`
     * of the site · `same-site`: anywhere on the site it began at.
     */
    redirects: oneOf('robots', 'iab', 'root-of-site', 'same-site'),
    maxRedirects: integer(0, 10),
    /** Whether the last visit's ETag and Last-Modified are sent along (PK12, RC10). */
    conditional: t.boolean,
  }),
)
export type FetchRule = t.TypeOf<typeof FetchRule>
