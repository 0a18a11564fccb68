import { randomBytes } from 'node:crypto'
import { timestampsBy } from '../../compose.ts'
import type { CommonFlags } from '../../config.ts'
import { E } from '../../kernel/fp.ts'
import { formatInstant } from '../../kernel/instant.ts'
import { type HttpUrl, parseHttpUrl } from '../../kernel/url.ts'
import { Halt } from '../../shell/halt.ts'
import { timestampHead } from '../../shell/tlog/timestamp.ts'
import { collect, forPrograms, type Verb, verb, withOpened } from '../command.ts'
import { newRun } from '../night.ts'
import { document, line, safe } from '../print.ts'
import { sealNow } from '../sealing.ts'

type TimestampFlags = CommonFlags & {
  tsa: string
  tsaCa: string
  json?: boolean
  jsonl?: boolean
}

export const timestampVerb: Verb = (io) =>
  forPrograms(verb('timestamp', 'have an authority sign when the newest head was there (RFC 3161)'))
    .requiredOption('--tsa <url>', 'the address of the time-stamping authority')
    .requiredOption('--tsa-ca <file>', 'its root certificate (PEM), got from the authority itself')
    .option(
      '--ca <file>',
      'trust one more certificate authority for TLS (PEM); repeatable',
      collect,
    )
    .addHelpText(
      'after',
      `
Sent is the SHA-256 of the head, nothing of what it covers. The reply is recorded only if openssl finds
it signed under that root; evidence for every event of the head then carries it. Run it once a day.

Example:
  crawl-ledger timestamp --tsa https://tsa.example/ --tsa-ca tsa-root.pem`,
    )
    .action(async (flags: TimestampFlags) => {
      const authority = authorityOf(flags.tsa)
      const check = await timestampsBy(flags.tsaCa)
      await withOpened(io, flags, async (opened) => {
        const ports = { ledger: opened.ledger, post: opened.tlog.post, check }
        const asked = { run: newRun(opened), authority, nonce: nonce(), stop: io.stop }
        const { size, time } = await timestampHead(ports, () => sealNow(io, opened), asked)
        const answer = { size, authority, time: formatInstant(time) }
        if (flags.json === true) return io.out(document(answer))
        if (flags.jsonl === true) return io.out(line(answer))
        await io.out(
          `${safe(`the head of ${size} entries was there by ${answer.time}, says ${authority}`)}\n`,
        )
      })
    })

const authorityOf = (given: string): HttpUrl => {
  const url = parseHttpUrl(given)
  if (E.isRight(url)) return url.right
  throw new Halt({ tag: 'WrongUse', because: `--tsa takes an http or https address, not ${given}` })
}

/** A positive DER integer in its shortest form: the first byte from 64 to 127. */
const nonce = (): Buffer => {
  const bytes = randomBytes(8)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}
