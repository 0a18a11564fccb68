/**
 * The little of an HTML page that refusal signatures look at: lower-case source, headings, visible
 * text. Not a parser: it never fails, and its work grows only with the length of the page, whatever
 * a hostile page contains.
 */
export type PageText = {
  /** The page, lower case. */
  readonly source: string
  /** The first title, h1 and h2. */
  readonly headings: readonly string[]
  /** What a visitor would read, spaces collapsed; scripts and styles left out, noscript kept. */
  readonly visible: string
}

/** A page longer than this is no block page, and is not looked at. */
export const PAGE_BYTES = 262_144
const HEADING_CHARACTERS = 300

const ENTITIES: readonly (readonly [RegExp, string])[] = [
  [/&(?:#0*39|#x0*27|apos|rsquo|#0*8217|#x0*2019);|\u2019/g, "'"],
  [/&(?:hellip|#0*8230|#x0*2026);|\u2026/g, '...'],
  [/&(?:nbsp|#0*160|#x0*a0);/g, ' '],
  [/&amp;/g, '&'],
]

const tidy = (text: string): string =>
  ENTITIES.reduce((tidied, [entity, plain]) => tidied.replace(entity, plain), text)
    .replace(/\s+/g, ' ')
    .trim()

/** Where the markup that begins at `start` ends; the end of the page if it is never closed. */
const markupEnd = (source: string, start: number): number => {
  const after = (marker: string): number => {
    const found = source.indexOf(marker, start)
    return found === -1 ? source.length : found + marker.length
  }
  if (source.startsWith('<!--', start)) return after('-->')
  if (/^<script[\s>]/.test(source.slice(start, start + 8))) return after('</script>')
  if (/^<style[\s>]/.test(source.slice(start, start + 7))) return after('</style>')
  return after('>')
}

const withoutMarkup = (source: string): string => {
  const pieces: string[] = []
  let from = 0
  while (from < source.length) {
    const markup = source.indexOf('<', from)
    if (markup === -1) break
    pieces.push(source.slice(from, markup), ' ')
    from = markupEnd(source, markup)
  }
  pieces.push(source.slice(from))
  return tidy(pieces.join(''))
}

const firstOf = (source: string, element: string): string => {
  const start = source.indexOf(`<${element}`)
  const open = start === -1 ? -1 : source.indexOf('>', start)
  if (open === -1) return ''
  const close = source.indexOf(`</${element}`, open)
  const end = Math.min(close === -1 ? source.length : close, open + HEADING_CHARACTERS)
  return withoutMarkup(source.slice(open + 1, end))
}

/**
 * The words looked for are ASCII, and so alike in every encoding a page may have but UTF-16, which is
 * known by its mark.
 */
const encodingOf = (body: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' => {
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : 'utf-8'
}

/** undefined: too long, or the bytes do not begin like HTML. `body` is the body with its content coding undone. */
export const pageTextOf = (body: Buffer): PageText | undefined => {
  if (body.length > PAGE_BYTES) return undefined
  const source = new TextDecoder(encodingOf(body)).decode(body).trimStart().toLowerCase()
  if (!source.startsWith('<')) return undefined
  return {
    source,
    headings: ['title', 'h1', 'h2'].map((element) => firstOf(source, element)),
    visible: withoutMarkup(source),
  }
}
