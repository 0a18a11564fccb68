/** The list a person gives a programme to start from. */
import { listOf, parse, type ParseFailure, parseFailure, t, text } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { type HttpUrl, parseHttpUrl, siteOf } from '../kernel/url.ts'
import { SourceId } from '../kernel/words.ts'
import type { Policy } from './policy.ts'

/**
 * One address of a source: an ad network’s sellers.json, or a page. `id` names the source in events and
 * tables; a source of pages has an entry for each.
 */
export type Source = { readonly id: string; readonly url: HttpUrl }

/** `file`: each source is one file, and its id its own. `pages`: a source is a set of pages. */
export type SourceKind = 'file' | 'pages'

export const sourceKindOf = ({ order }: Pick<Policy, 'order'>): SourceKind =>
  order.source.includes('page') ? 'pages' : 'file'

export const SOURCES_MAX = 20_000

const Address = text(8_192)
const SourceFile = t.union([
  t.type({
    networks: listOf(
      t.intersection([t.type({ url: Address }), t.partial({ id: text(100) })]),
      SOURCES_MAX,
    ),
  }),
  t.type({
    sources: listOf(t.type({ id: text(100), pages: listOf(Address, SOURCES_MAX) }), SOURCES_MAX),
  }),
])

type Given = { readonly id?: string; readonly url: string }

/**
 * Reads a source list: JSON `{"networks": [{"id": …, "url": …}]}` or `{"sources": [{"id": …, "pages":
 * […]}]}`, or text with one address a line, its source’s id and a space before it where it has one
 * (`#` begins a comment). An id that is not given is the site of the address.
 */
export const parseSources = (
  file: string,
  content: string,
  kind: SourceKind,
): Either<ParseFailure, readonly Source[]> => {
  const given = content.trimStart().startsWith('{')
    ? fromJson(file, content)
    : E.right(fromLines(content))
  if (E.isLeft(given)) return given
  const sources: Source[] = []
  const taken = new Set<string>()
  for (const [index, entry] of given.right.entries()) {
    const source = sourceOf(file, `source ${index + 1}`, entry)
    if (E.isLeft(source)) return source
    const { id, url } = source.right
    const key = kind === 'pages' ? `${id} ${url}` : id
    if (taken.has(key)) {
      const expected = kind === 'pages' ? 'each page once' : `an id of its own, ${id} is taken`
      return E.left(parseFailure(file, expected, `source ${index + 1}`))
    }
    taken.add(key)
    sources.push(source.right)
  }
  if (sources.length === 0) return E.left(parseFailure(file, 'at least one source'))
  return sources.length > SOURCES_MAX
    ? E.left(parseFailure(file, `at most ${SOURCES_MAX} addresses`))
    : E.right(sources)
}

const sourceOf = (file: string, where: string, given: Given): Either<ParseFailure, Source> => {
  const url = parseHttpUrl(given.url)
  if (E.isLeft(url)) return E.left(parseFailure(file, `an http(s) address (${url.left})`, where))
  const id = given.id ?? siteOf(url.right)
  return SourceId.is(id)
    ? E.right({ id, url: url.right })
    : E.left(parseFailure(file, SourceId.name, where))
}

const fromLines = (content: string): readonly Given[] =>
  content
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
    .map((line) => {
      const named = /^(?<id>\S+)\s+(?<url>\S+)$/.exec(line)?.groups
      const { id, url } = named ?? {}
      return id === undefined || url === undefined ? { url: line } : { id, url }
    })

const fromJson = (file: string, content: string): Either<ParseFailure, readonly Given[]> => {
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch {
    return E.left(parseFailure(file, 'JSON, or one address a line'))
  }
  const parsed = parse(file, SourceFile, json)
  if (E.isLeft(parsed)) return parsed
  if ('networks' in parsed.right) return E.right(parsed.right.networks)
  return E.right(parsed.right.sources.flatMap(({ id, pages }) => pages.map((url) => ({ id, url }))))
}
