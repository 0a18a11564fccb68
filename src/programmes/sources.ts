/** The list a person gives a programme to start from. */
import { listOf, parse, type ParseFailure, parseFailure, t, text } from '../kernel/codec.ts'
import { E, type Either } from '../kernel/fp.ts'
import { type HttpUrl, parseHttpUrl, siteOf } from '../kernel/url.ts'

/** One source: an ad network’s sellers.json. `id` names it in events and tables. */
export type Source = { readonly id: string; readonly url: HttpUrl }

export const SOURCES_MAX = 20_000

const SourceFile = t.type({
  networks: listOf(
    t.intersection([t.type({ url: text(8_192) }), t.partial({ id: text(100) })]),
    SOURCES_MAX,
  ),
})

/**
 * Reads a source list: JSON `{"networks": [{"id": …, "url": …}]}`, or text with one address a line
 * (`#` begins a comment). An id that is not given is the site of the address.
 */
export const parseSources = (
  file: string,
  content: string,
): Either<ParseFailure, readonly Source[]> => {
  const given = content.trimStart().startsWith('{')
    ? fromJson(file, content)
    : E.right(fromLines(content))
  if (E.isLeft(given)) return given
  const sources: Source[] = []
  const ids = new Set<string>()
  for (const [index, { id, url }] of given.right.entries()) {
    const where = `source ${index + 1}`
    const parsed = parseHttpUrl(url)
    if (E.isLeft(parsed))
      return E.left(parseFailure(file, `an http(s) address (${parsed.left})`, where))
    const name = id ?? siteOf(parsed.right)
    if (ids.has(name))
      return E.left(parseFailure(file, `an id of its own, ${name} is taken`, where))
    ids.add(name)
    sources.push({ id: name, url: parsed.right })
  }
  return sources.length === 0 ? E.left(parseFailure(file, 'at least one source')) : E.right(sources)
}

type Given = { readonly id?: string; readonly url: string }

const fromLines = (content: string): readonly Given[] =>
  content
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
    .map((url) => ({ url }))

const fromJson = (file: string, content: string): Either<ParseFailure, readonly Given[]> => {
  let json: unknown
  try {
    json = JSON.parse(content)
  } catch {
    return E.left(parseFailure(file, 'JSON, or one address a line'))
  }
  const parsed = parse(file, SourceFile, json)
  return E.isLeft(parsed) ? parsed : E.right(parsed.right.networks)
}
