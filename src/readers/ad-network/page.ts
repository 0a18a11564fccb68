import { type Token, Tokenizer, type TokenHandler, TokenizerMode } from 'parse5'

/** A place in a page that names an address the page loads from. */
export type Mention = {
  readonly by: 'script' | 'inline' | 'preload' | 'connect'
  /** For `inline` the script's text, else the attribute's value. */
  readonly text: string
}

/**
 * Finds what a page loads scripts from: script sources, inline scripts, and links that preload or
 * connect. Nothing else counts: no anchors, no text, no comments, no noscript or template contents.
 *
 * Only the tokenizer runs, not the tree builder: it is linear in the page, whatever the page does
 * (nested formatting elements make a tree builder's work and output grow quadratically), and where
 * a script stands in the tree makes no difference to the question.
 */
export const mentionsOf = (html: string): readonly Mention[] => {
  const reading = new PageReading()
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, reading)
  reading.tokenizer = tokenizer
  tokenizer.write(html, true)
  return reading.mentions
}

/** Elements whose content is text to the tokenizer (HTML "parsing state" of the tree construction). */
const TEXT_MODES: ReadonlyMap<string, Tokenizer['state']> = new Map([
  ['script', TokenizerMode.SCRIPT_DATA],
  ['style', TokenizerMode.RAWTEXT],
  ['xmp', TokenizerMode.RAWTEXT],
  ['iframe', TokenizerMode.RAWTEXT],
  ['noembed', TokenizerMode.RAWTEXT],
  ['noframes', TokenizerMode.RAWTEXT],
  ['noscript', TokenizerMode.RAWTEXT],
  ['textarea', TokenizerMode.RCDATA],
  ['title', TokenizerMode.RCDATA],
  ['plaintext', TokenizerMode.PLAINTEXT],
])

/** HTML elements that close an open svg or math: a self-closing slash means nothing again. */
const BREAKS_OUT = new Set(['body', 'div', 'head', 'img', 'li', 'meta', 'p', 'span', 'table', 'ul'])

/** Lazy loaders and consent tools move a script's source to one of these until they run it. */
const SOURCE_ATTRIBUTES = ['src', 'data-src', 'data-rocket-src', 'data-cmp-src']

/** Data blocks and templates hold page text, not code that runs. */
const NO_CODE = /json|html|template|importmap|speculationrules|x-(?!javascript)/i

class PageReading implements TokenHandler {
  readonly mentions: Mention[] = []
  tokenizer: Tokenizer | undefined
  /** Text of the open inline script; undefined outside of one. */
  #script: string[] | undefined
  #templates = 0
  #foreign = 0

  onStartTag(tag: Token.TagToken): void {
    const { tagName } = tag
    if (tagName === 'template') this.#templates += 1
    if (tagName === 'svg' || tagName === 'math') this.#foreign += tag.selfClosing ? 0 : 1
    else if (BREAKS_OUT.has(tagName)) this.#foreign = 0
    if (this.#templates === 0) this.#notice(tag)
    const mode = TEXT_MODES.get(tagName)
    if (mode === undefined || (tag.selfClosing && this.#foreign > 0)) return
    if (this.tokenizer !== undefined) this.tokenizer.state = mode
  }

  onEndTag({ tagName }: Token.TagToken): void {
    if (tagName === 'template') this.#templates = Math.max(0, this.#templates - 1)
    if (tagName === 'svg' || tagName === 'math') this.#foreign = Math.max(0, this.#foreign - 1)
    if (tagName !== 'script' || this.#script === undefined) return
    this.mentions.push({ by: 'inline', text: this.#script.join('') })
    this.#script = undefined
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    this.#script?.push(chars)
  }

  onWhitespaceCharacter({ chars }: Token.CharacterToken): void {
    this.#script?.push(chars)
  }

  onNullCharacter(): void {
    // A NUL is no part of any address.
  }

  onComment(): void {
    // A script in a comment is a script that was taken out.
  }

  onDoctype(): void {
    // Says nothing about networks.
  }

  onEof(): void {
    // A script that never ends never runs.
  }

  #notice({ tagName, attrs }: Token.TagToken): void {
    if (tagName !== 'script' && tagName !== 'link') return
    const values = new Map(attrs.map(({ name, value }) => [name, value]))
    if (tagName === 'link') {
      const href = values.get('href')
      const by = linkKind(values.get('rel') ?? '')
      if (href !== undefined && by !== undefined) this.mentions.push({ by, text: href })
      return
    }
    const sources = SOURCE_ATTRIBUTES.flatMap((name) => values.get(name) ?? [])
    for (const text of sources) this.mentions.push({ by: 'script', text })
    if (!values.has('src') && !NO_CODE.test(values.get('type') ?? '')) this.#script = []
  }
}

const linkKind = (rel: string): 'preload' | 'connect' | undefined => {
  const kinds = new Set(rel.toLowerCase().split(/\s+/))
  if (kinds.has('preload') || kinds.has('modulepreload')) return 'preload'
  return kinds.has('preconnect') || kinds.has('dns-prefetch') ? 'connect' : undefined
}
