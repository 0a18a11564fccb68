/**
 * Readers of robots.txt as readers of captures: what the file says about `/` to the programme that
 * asked for it, and its Crawl-delay. Any of them can be put in the place of the one that decided.
 */
import { decodeBody } from '../../capture/decode-body.ts'
import { E } from '../../kernel/fp.ts'
import { parseHttpUrl } from '../../kernel/url.ts'
import { firstReader, type RobotsReader } from '../../robots/reader.ts'
import { secondReader } from '../../robots/second-reader.ts'
import type { Capture, Reader } from '../reader.ts'

/** RFC 9309 §2.5 asks for 500 KiB at least; decoded beyond this is cut by the reader itself. */
const DECODED_BYTES_MAX = 8_388_608

/** `undecided`: the reader cannot say, `because` says why. */
export type RobotsCaptureReading = {
  readonly decision: 'allow' | 'deny' | 'undecided'
  readonly because: string
  readonly crawlDelayMs: number | null
}

const undecided = (because: string): RobotsCaptureReading => ({
  decision: 'undecided',
  because,
  crawlDelayMs: null,
})

const readCapture =
  ({ answer }: RobotsReader) =>
  ({ body, headers, url, token }: Capture): RobotsCaptureReading => {
    if (token === null) return undecided('no policy says for whom')
    const root = parseHttpUrl('/', url)
    if (E.isLeft(root)) return undecided('no address')
    const decoded = decodeBody(body, headers, DECODED_BYTES_MAX)
    // Access says rules, but they are not to be had: fail closed, as the crawl does.
    if (E.isLeft(decoded)) return { decision: 'deny', because: 'unread', crawlDelayMs: null }
    const said = answer(decoded.right, token, root.right)
    if (said.tag === 'Declined') return undecided(said.because)
    const { allowed, crawlDelayMs } = said
    return { decision: allowed ? 'allow' : 'deny', because: 'rules', crawlDelayMs }
  }

const captureReader = (reader: RobotsReader): Reader => ({
  name: reader.name,
  version: reader.version,
  read: readCapture(reader),
})

/** The one that decides, and the one it is compared with. */
export const ROBOTS_READERS: readonly Reader[] = [firstReader, secondReader].map(captureReader)
