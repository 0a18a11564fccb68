/** What a citation says, read back by small parsers of our own, from the specifications and not from the writers. */
import { assert, present } from '../../src/kernel/assert.ts'

export type Fields = { readonly [name: string]: string }

/** One BibLaTeX entry: fields in balanced braces. Values as they stand there. */
export const parseBibtex = (
  text: string,
): { readonly type: string; readonly key: string; readonly fields: Fields } => {
  const head = present(/^@(\w+)\{([^,\s{}]+),\s*/.exec(text), 'an entry')
  const fields: { [name: string]: string } = {}
  let at = head[0].length
  for (;;) {
    const name = /^(\w+) = \{/.exec(text.slice(at))
    if (name === null) break
    at += name[0].length
    const from = at
    for (let depth = 1; depth > 0; at += 1) {
      assert(at < text.length, 'unbalanced braces')
      if (text[at] === '\\') at += 1
      else if (text[at] === '{') depth += 1
      else if (text[at] === '}') depth -= 1
    }
    fields[present(name[1], 'a name')] = text.slice(from, at - 1)
    at += present(/^,\s*/.exec(text.slice(at)), 'a comma')[0].length
  }
  assert(text.slice(at) === '}\n', `behind the entry: ${text.slice(at)}`)
  return { type: present(head[1], 'a type'), key: present(head[2], 'a key'), fields }
}

const COMMANDS: Fields = { textbackslash: '\\', textasciicircum: '^', textasciitilde: '~' }

/** What TeX prints for a text without other commands; a special character that is not escaped is refused. */
export const printedTex = (tex: string): string =>
  tex.replaceAll(
    /\\([a-z]+)\{\}|\\(.)|[\\{}$&#%_^~]/g,
    (all, command?: string, escaped?: string) => {
      const printed = command === undefined ? escaped : COMMANDS[command]
      assert(printed !== undefined, `TeX would take ${all} for more than a character`)
      return printed
    },
  )

/** One RIS reference: `XX  - value`, CR LF, TY first and ER last. */
export const parseRis = (text: string): Fields => {
  const lines = text.split('\r\n')
  assert(lines.pop() === '', 'the last line is ended')
  const pairs = lines.map((line) => {
    const [, tag = '', value = ''] = present(/^([A-Z][A-Z0-9]) {2}- (.*)$/.exec(line), line)
    return [tag, value] as const
  })
  assert(pairs[0]?.[0] === 'TY' && pairs.at(-1)?.[0] === 'ER', 'TY first, ER last')
  assert(new Set(pairs.map(([tag]) => tag)).size === pairs.length, 'each tag once')
  return Object.fromEntries(pairs)
}

const unreferenced = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

/** One template and the text behind it, with character references resolved. */
export const parseWikipedia = (
  text: string,
): { readonly name: string; readonly parameters: Fields; readonly rest: string } => {
  const [, inner = '', rest = ''] = present(/^\{\{([^{}]*)\}\}([^\n]*)\n$/.exec(text), text)
  assert(!/[[\]{}|<>]|''|~~~|__/.test(rest), `markup behind the template: ${rest}`)
  const [name = '', ...given] = inner.split('|').map((part) => part.trim())
  const parameters = given.map((part) => {
    const cut = part.indexOf('=')
    assert(cut > 0 && !/[[\]<>]|''/.test(part), `markup in a parameter: ${part}`)
    return [part.slice(0, cut), unreferenced(part.slice(cut + 1))] as const
  })
  return { name, parameters: Object.fromEntries(parameters), rest: unreferenced(rest.trim()) }
}

export type LinkRelation = { readonly target: string; readonly parameters: Fields }

/** Header fields, and the links of the field Link (RFC 8288 §3). */
export const parseMemento = (
  text: string,
): { readonly fields: Fields; readonly links: readonly LinkRelation[] } => {
  const lines = text.split('\r\n')
  assert(lines.pop() === '', 'the last line is ended')
  const fields = Object.fromEntries(
    lines.map((line) => {
      assert(/^[ -~]*$/.test(line), `not printable ASCII: ${line}`)
      const cut = line.indexOf(': ')
      return [line.slice(0, cut), line.slice(cut + 2)] as const
    }),
  )
  return { fields, links: parseLinks(fields['Link'] ?? '') }
}

const parseLinks = (header: string): readonly LinkRelation[] => {
  const links: LinkRelation[] = []
  for (let rest = header; rest !== '';) {
    const [all, target = '', given = ''] = present(
      /^<([^>]*)>((?:; \w+="(?:[^"\\]|\\.)*")*)(?:, |$)/.exec(rest),
      rest,
    )
    const parameters = [...given.matchAll(/; (\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')] as const,
    )
    links.push({ target, parameters: Object.fromEntries(parameters) })
    rest = rest.slice(all.length)
  }
  return links
}
