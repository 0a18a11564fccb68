/** The formats of a citation by their names, and those that are read by people or served. */
import {
  dayOf,
  factsOf,
  type FetchCitation,
  REHEARSAL,
  secondOf,
  timeOf,
  titleOf,
  verbOf,
} from './citation.ts'
import { bibtex, cslJson, ris, wikipedia } from './citation-reference.ts'

/** undefined: the fetch has no such citation, because nothing was kept that could be served. */
type Format = (citation: FetchCitation) => string | undefined

const text: Format = (citation) =>
  `${citation.url}: ${factsOf(citation).join('; ')}. ${citation.links.permanent}\n`

const html = (unsafe: string): string =>
  unsafe.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const anchor = (href: string, words: string): string =>
  /^https?:/.test(href) ? `<a href="${html(href)}">${html(words)}</a>` : html(words)

const htmlFragment: Format = (citation) => {
  const { at, isSimulated, url, links } = citation
  const time = `<time datetime="${secondOf(at)}">${dayOf(at)} ${timeOf(at)} UTC</time>`
  const facts = factsOf(citation).slice(isSimulated ? 2 : 1)
  return [
    '<p>',
    ...(isSimulated ? [`<strong>${html(REHEARSAL)}</strong>: `] : []),
    `<cite>${anchor(url, titleOf(citation))}</cite>, ${html(verbOf(citation))} ${time} by the crawler’s clock; `,
    `${html(facts.join('; '))}. `,
    anchor(links.permanent, links.permanent),
    '</p>\n',
  ].join('')
}

/** A quoted-string of a header: printable ASCII, whatever the words were. */
const quoted = (words: string): string =>
  `"${words
    .replaceAll('’', "'")
    .replaceAll(/[^ -~]/g, '?')
    .replaceAll(/["\\]/g, '\\$&')}"`

/**
 * RFC 7089: the header fields with which the kept answer is served. The time is that of the answer;
 * an answer that was not kept has no memento.
 */
const memento: Format = (citation) => {
  const { at, body, links, url } = citation
  if (body?.kept !== true) return undefined
  const datetime = new Date(at).toUTCString()
  const relations = [
    `<${url}>; rel="original"`,
    ...(links.timegate === null ? [] : [`<${links.timegate}>; rel="timegate"`]),
    ...(links.timemap === null
      ? []
      : [`<${links.timemap}>; rel="timemap"; type="application/link-format"`]),
    ...(links.memento === null
      ? []
      : [`<${links.memento}>; rel="memento"; datetime="${datetime}"`]),
    `<${links.permanent}>; rel="describedby"; title=${quoted(factsOf(citation).join('; '))}`,
  ]
  return `Memento-Datetime: ${datetime}\r\nLink: ${relations.join(', ')}\r\n`
}

export const FORMAT_NAMES = [
  'text',
  'html',
  'csl-json',
  'bibtex',
  'ris',
  'wikipedia',
  'memento',
] as const
export type FormatName = (typeof FORMAT_NAMES)[number]

const FORMATS: { readonly [name in FormatName]: Format } = {
  text,
  html: htmlFragment,
  'csl-json': cslJson,
  bibtex,
  ris,
  wikipedia,
  memento,
}

export const formatCitation = (name: FormatName, citation: FetchCitation): string | undefined =>
  FORMATS[name](citation)
