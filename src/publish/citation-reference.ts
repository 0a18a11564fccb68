/** The fetch for lists of references: CSL-JSON, BibLaTeX, RIS, Wikipedia. */
import {
  dayOf,
  factsOf,
  type FetchCitation,
  hostOf,
  logOf,
  secondOf,
  timeOf,
  titleOf,
} from './citation.ts'

const noteOf = (citation: FetchCitation): string => `${factsOf(citation).join('; ')}.`

const idOf = ({ position }: FetchCitation): string => `crawl-ledger-${position}`

/**
 * CSL-JSON 1.0.2: a list with one item. Its dates have a day and no time, so the second stands in
 * `note`. No `issued`: when a page was published, nobody here knows.
 */
export const cslJson = (citation: FetchCitation): string => {
  const [year, month, day] = dayOf(citation.at).split('-').map(Number)
  const item = {
    id: idOf(citation),
    type: 'webpage',
    title: titleOf(citation),
    'container-title': hostOf(citation),
    URL: citation.url,
    accessed: { 'date-parts': [[year, month, day]] },
    archive: logOf(citation),
    archive_location: citation.links.permanent,
    note: noteOf(citation),
  }
  return `${JSON.stringify([item], null, 2)}\n`
}

const LATEX: { readonly [character: string]: string } = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
  '^': '\\textasciicircum{}',
  '~': '\\textasciitilde{}',
}
const latex = (text: string): string =>
  text.replaceAll(/[\\{}$&#%_^~]/g, (character) => LATEX[character] ?? '')

/** The characters given as %XX: an address stays the same one, and cannot end its field. */
const percent = (url: string, characters: RegExp): string =>
  url.replaceAll(
    characters,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )

/** BibLaTeX: `urldate` takes a time (§2.3.8 of its manual); `url` is verbatim but for its braces. */
export const bibtex = (citation: FetchCitation): string => {
  const verbatim = (url: string): string => percent(url, /[{}\\]/g)
  const fields = [
    ['title', latex(titleOf(citation))],
    ['organization', latex(hostOf(citation))],
    ['url', verbatim(citation.url)],
    ['urldate', secondOf(citation.at)],
    ['note', latex(noteOf(citation))],
    ['addendum', `\\url{${verbatim(citation.links.permanent)}}`],
  ].map(([name, value]) => `  ${name} = {${value}},\n`)
  return `@online{${idOf(citation)},\n${fields.join('')}}\n`
}

/** RIS: `Y2` is year/month/day/anything, the day of access; lines end with CR LF. */
export const ris = (citation: FetchCitation): string => {
  const { at, position } = citation
  const lines = [
    ['TY', 'ELEC'],
    ['ID', idOf(citation)],
    ['TI', titleOf(citation)],
    ['T2', hostOf(citation)],
    ['UR', citation.url],
    ['Y2', `${dayOf(at).replaceAll('-', '/')}/${timeOf(at)} UTC`],
    ['DB', logOf(citation)],
    ['AN', String(position)],
    ['L2', citation.links.permanent],
    ['N1', noteOf(citation)],
    ['ER', ''],
  ]
  return lines.map(([tag, value]) => `${tag}  - ${value}\r\n`).join('')
}

/** Whatever means something in wikitext or ends a parameter, as a character reference. */
const wikitext = (text: string): string =>
  text.replaceAll(/[[\]{}|<>&'~_*#=:]/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * {{cite web}} of the English Wikipedia. Its access-date has a day only, so the second stands behind
 * the template. `archive-url` is a copy: given where one was kept and is served.
 */
export const wikipedia = (citation: FetchCitation): string => {
  const { body, links, at } = citation
  const address = (url: string): string => percent(url, /[[\]{}|<>"'\\^`]/g)
  const archived =
    links.memento === null || body?.kept !== true
      ? []
      : [`archive-url=${address(links.memento)}`, `archive-date=${dayOf(at)}`, 'url-status=live']
  const parameters = [
    `url=${address(citation.url)}`,
    `title=${wikitext(titleOf(citation))}`,
    `website=${wikitext(hostOf(citation))}`,
    `access-date=${dayOf(at)}`,
    ...archived,
  ]
  const found = wikitext(`${noteOf(citation)} ${links.permanent}`)
  return `{{cite web |${parameters.join(' |')}}} ${found}\n`
}
