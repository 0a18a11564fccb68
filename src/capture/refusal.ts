/**
 * Recognises a "no": by status, by a firewall's own header, by its page, also one served as 200
 * (PR9, PK11, RC20). A site that has said no is left alone; what follows from it is politeness's
 * decision. Errs on the side of silence: a page that only embeds a CAPTCHA in a form is not a "no".
 */
import { clip } from '../kernel/text.ts'
import { E } from '../kernel/fp.ts'
import type { Header } from '../kernel/words.ts'
import type { Refusal } from '../ledger/events/response-received.ts'
import { decodeBody } from './decode-body.ts'
import { PAGE_BYTES, type PageText, pageTextOf } from './page-text.ts'
import { refusalByHeader, refusalByProduct } from './refusal-signature.ts'

/**
 * RFC 9110 §15.5.2 (401), §15.5.3 (402, which firewalls send to ask crawlers for money), §15.5.4
 * (403), §15.5.8 (407), RFC 6585 §4 (429), RFC 7725 (451).
 */
const STATUSES: ReadonlySet<number> = new Set([401, 402, 403, 407, 429, 451])

/** A page that tells its visitor no more than "prove who you are" is short; real pages are not. */
const SHORT_CHARACTERS = 2_000

const HUMAN = String.raw`(?:verify|confirm|prove|show)(?: us)?(?: that)? you(?:'re| are) (?:a )?(?:human|real person|not a (?:ro)?bot)`

/** A heading that is itself the question. */
const TEST_HEADING = new RegExp(
  String.raw`^(?:please )?${HUMAN}|^are you (?:a )?(?:human|(?:ro)?bot)\b|^(?:robot|bot|human) (?:check|verification|challenge)|^captcha\b|^(?:checking|verifying) your browser|^making sure you(?:'re| are) not a (?:ro)?bot`,
)

/** A heading that may mean it, if the page says more. */
const WAITING_HEADING =
  /^(?:just a moment|one more step|please wait|security (?:check|verification|checkpoint)|attention required|access (?:to this page )?(?:has been )?denied|(?:sorry, )?you have been blocked|(?:your )?request (?:has been )?blocked|forbidden)/

const SENTENCE = new RegExp(
  String.raw`${HUMAN}|checking (?:your browser before|if the site connection is secure)|enable javascript and cookies to continue|(?:complete|solve) (?:the|this) (?:captcha|security check)|unusual (?:traffic|activity) (?:from|on) your|review the security of your connection|you have been blocked|blocked by (?:our|the) (?:security|firewall)|ddos protection by`,
)

const WIDGET =
  /\b(?:g-recaptcha|h-captcha|cf-turnstile)\b|\b(?:name|id|class|src|action)=["']?[^"'\s>]{0,100}captcha/

/** A form that asks for more than a proof belongs to a page about something else. */
const OTHER_FORM = /<textarea|<select|\btype=["']?(?:text|email|search|tel|password)\b/

/** The words by which a page that is no known product's gives itself away. */
const tellingWords = (page: PageText, widget: boolean): string | undefined => {
  const heading = (form: RegExp): string | undefined =>
    page.headings.map((text) => form.exec(text)?.[0]).find((found) => found !== undefined)
  const asks = heading(TEST_HEADING)
  if (asks !== undefined) return asks
  const sentence = SENTENCE.exec(page.visible)?.[0]
  const waits = heading(WAITING_HEADING)
  if (waits !== undefined) return widget || sentence !== undefined ? waits : undefined
  return widget && !OTHER_FORM.test(page.source) ? sentence : undefined
}

const kindByWords = (words: string, widget: boolean): Refusal['kind'] => {
  if (widget) return 'captcha'
  return /denied|blocked|forbidden/.test(words) ? 'block-page' : 'browser-test'
}

const refusalByWords = (page: PageText): Refusal | undefined => {
  const widget = WIDGET.test(page.source)
  const words = tellingWords(page, widget)
  if (words === undefined) return undefined
  return {
    kind: kindByWords(words, widget),
    signature: 'words-v1',
    evidence: clip(words, 200),
  }
}

const refusalByPage = (body: Buffer, headers: readonly Header[]): Refusal | undefined => {
  const decoded = decodeBody(body, headers, PAGE_BYTES)
  if (E.isLeft(decoded)) return undefined
  const page = pageTextOf(decoded.right)
  if (page === undefined || page.visible.length > SHORT_CHARACTERS) return undefined
  return refusalByProduct(page) ?? refusalByWords(page)
}

/**
 * The refusal a response is, or null. `body` is as it came off the wire. Of several signs the most
 * telling is named: header, then page, then status.
 */
export const recogniseRefusal = (response: {
  readonly status: number
  readonly headers: readonly Header[]
  readonly body: Buffer
}): Refusal | null => {
  const { status, headers, body } = response
  const shown = refusalByHeader(headers) ?? refusalByPage(body, headers)
  if (shown !== undefined) return shown
  if (!STATUSES.has(status)) return null
  return { kind: 'status', signature: `status-${status}-v1`, evidence: `status ${status}` }
}
