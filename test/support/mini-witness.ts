/**
 * A witness as C2SP tlog-witness has it, over a real socket, its state on disk; and every way of being
 * a bad one that a test asks for.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { parse, t } from '../../src/kernel/codec.ts'
import { E } from '../../src/kernel/fp.ts'
import { type Head, parseHead, signersOf } from '../../src/ledger/tlog/head.ts'
import { parseVerifierKey, type VerifierKey } from '../../src/ledger/tlog/key.ts'
import { formatNote, type NoteSignature } from '../../src/ledger/tlog/note.ts'
import { isGrowth } from '../../src/ledger/tlog/proof.ts'
import { parseHttpUrl } from '../../src/kernel/url.ts'
import type { Witness } from '../../src/ledger/tlog/witness.ts'
import { parseGrowthProof } from '../../src/publish/proof-file.ts'
import { right } from './either.ts'
import { type NoteSigner, noteSigner } from './note-signer.ts'

/** What a witness does instead of its duty. */
export type Bad =
  | 'never-answers'
  | 'drips'
  | 'hangs-up'
  | 'answers-a-megabyte'
  | 'answers-garbage'
  | 'redirects'
  | 'fails'
  | 'signs-with-another-key'
  | 'signs-another-root'
  | 'signs-a-stale-time'
  | 'signs-twice'
  | 'conflicts-for-ever'
  | 'conflicts-with-garbage'
  | 'claims-a-larger-head'
  | 'claims-another-head'
  | 'calls-it-unproven'

export type MiniWitness = {
  readonly name: string
  readonly vkey: string
  readonly url: string
  /** How a log that named it knows it. */
  readonly witness: Witness
  /** Every body that was posted, in order. */
  readonly asked: readonly string[]
  /** Has it take heads of the log with this key. */
  readonly know: (vkey: string) => void
  /** From now on it is bad, or good again. */
  readonly be: (bad: Bad | undefined) => void
  /** The newest head it has cosigned of the log, with its state read from disk. */
  readonly holds: (origin: string) => Head | undefined
  readonly close: () => Promise<void>
}

type Reply = { readonly status: number; readonly body: string; readonly type?: string }

const State = t.record(t.string, t.string)
const SIZE = 'text/x.tlog.size'

/** `directory` holds its state: another one opened on it is the same witness. `clock` in seconds. */
export const miniWitness = async (
  name: string,
  seed: number,
  directory: string,
  clock = (): number => Math.floor(Date.now() / 1_000),
): Promise<MiniWitness> => {
  const signer = noteSigner(name, 'witness', seed)
  const file = join(directory, `witness-${seed}.json`)
  const logs = new Map<string, VerifierKey[]>()
  const asked: string[] = []
  let bad: Bad | undefined
  const read = (): Record<string, string> =>
    existsSync(file) ? right(parse(file, State, JSON.parse(readFileSync(file, 'utf8')))) : {}
  const heldOf = (origin: string): Head | undefined => {
    const note = read()[origin]
    return note === undefined ? undefined : right(parseHead(note))
  }
  const take = (body: string): Reply => {
    const checked = check(body, { logs, heldOf })
    if (!('head' in checked)) return checked
    const { head } = checked
    // Checking and keeping in one go: nothing else runs in between, and it is on disk before anybody hears.
    write(file, JSON.stringify({ ...read(), [head.origin]: formatNote(head.note) }))
    return { status: 200, body: lineOf(signer.sign(head.note.text, clock())) }
  }
  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
    request.on('end', () => {
      const text = Buffer.from(body, 'latin1').toString('utf8')
      asked.push(text)
      if (request.method !== 'POST' || request.url !== '/log/add-checkpoint')
        return void response.writeHead(404).end()
      if (bad !== undefined) return misbehave(bad, { text, signer, response, clock, heldOf })
      const { status, body: said, type = 'text/plain' } = take(text)
      response.writeHead(status, { 'Content-Type': type }).end(said)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not a TCP server')
  const url = right(parseHttpUrl(`http://127.0.0.1:${address.port}/log/`))
  return {
    name,
    vkey: signer.key.vkey,
    url,
    witness: { key: signer.key, url },
    asked,
    know: (vkey) => {
      const key = right(parseVerifierKey(vkey))
      logs.set(key.name, [...(logs.get(key.name) ?? []), key])
    },
    be: (how) => (bad = how),
    holds: heldOf,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const write = (file: string, text: string): void => {
  const handle = openSync(`${file}.new`, 'w')
  writeSync(handle, text)
  fsyncSync(handle)
  closeSync(handle)
  renameSync(`${file}.new`, file)
}

/** The signature line alone. */
const lineOf = (signature: NoteSignature): string =>
  formatNote({ text: '', signatures: [signature] }).slice(1)

type Known = {
  readonly logs: ReadonlyMap<string, readonly VerifierKey[]>
  readonly heldOf: (origin: string) => Head | undefined
}

/** C2SP tlog-witness, in its order: 400, 404, 403, 400, 409, 409, 422. */
const check = (body: string, { logs, heldOf }: Known): Reply | { readonly head: Head } => {
  const request = parseGrowthProof(body)
  const head = E.isRight(request) ? parseHead(request.right.checkpoint) : request
  if (E.isLeft(request) || E.isLeft(head)) return { status: 400, body: 'malformed' }
  const { older: old, proof } = request.right
  const keys = logs.get(head.right.origin)
  if (keys === undefined) return { status: 404, body: 'unknown log' }
  const signed = signersOf(head.right.note, keys)
  if (E.isLeft(signed) || signed.right.length === 0) return { status: 403, body: 'no known key' }
  return old > head.right.size
    ? { status: 400, body: 'old is larger' }
    : checkGrowth(head.right, heldOf(head.right.origin), old, proof)
}

const checkGrowth = (
  head: Head,
  held: Head | undefined,
  old: number,
  proof: readonly Buffer[],
): Reply | { readonly head: Head } => {
  const { size, root } = head
  if (old !== (held?.size ?? 0)) return { status: 409, body: `${held?.size ?? 0}\n`, type: SIZE }
  if (held === undefined) return proof.length === 0 ? { head } : { status: 422, body: '' }
  if (old === size && !held.root.equals(root)) return { status: 409, body: `${size}\n`, type: SIZE }
  const hasGrown = isGrowth({ older: held, newer: head, proof })
  return hasGrown ? { head } : { status: 422, body: 'not proven' }
}

type Scene = {
  readonly text: string
  readonly signer: NoteSigner
  readonly response: http.ServerResponse
  readonly clock: () => number
  readonly heldOf: (origin: string) => Head | undefined
}

const DRIP_MS = 20

const misbehave = (bad: Bad, { text, signer, response, clock }: Scene): void => {
  const { older, checkpoint } = right(parseGrowthProof(text))
  const head = right(parseHead(checkpoint))
  const answer = (status: number, body: string, headers: http.OutgoingHttpHeaders = {}): void =>
    void response.writeHead(status, headers).end(body)
  const sign = (by: NoteSigner, of: string, time: number): void =>
    answer(200, lineOf(by.sign(of, time)))
  switch (bad) {
    case 'never-answers':
      return
    case 'drips':
      response.writeHead(200)
      return drip(response)
    case 'hangs-up':
      return void response.socket?.destroy()
    case 'answers-a-megabyte':
      return answer(200, lineOf(signer.sign(head.note.text, clock())).repeat(8_000))
    case 'answers-garbage':
      return answer(200, '\u0000<html>\n\n\u2014 no signature\n')
    case 'redirects':
      return answer(302, '', { Location: '/elsewhere' })
    case 'fails':
      return answer(500, 'oops')
    case 'signs-with-another-key':
      return sign(noteSigner(signer.key.name, 'witness', 99), head.note.text, clock())
    case 'signs-another-root':
      return sign(
        signer,
        head.note.text.replace(`\n${head.size}\n`, `\n${head.size + 1}\n`),
        clock(),
      )
    case 'signs-a-stale-time':
      return sign(signer, head.note.text, clock() - 3_600)
    case 'signs-twice':
      return answer(200, lineOf(signer.sign(head.note.text, clock())).repeat(2))
    case 'conflicts-for-ever':
      return answer(409, `${older === 1 ? 2 : 1}\n`, { 'Content-Type': SIZE })
    case 'conflicts-with-garbage':
      return answer(409, '0x10\n', { 'Content-Type': SIZE })
    case 'claims-a-larger-head':
      return answer(409, `${head.size + 1_000}\n`, { 'Content-Type': SIZE })
    case 'claims-another-head':
      return answer(409, `${older}\n`, { 'Content-Type': SIZE })
    case 'calls-it-unproven':
      return answer(422, 'no')
  }
}

/** A byte now and then, for as long as the client stays. */
const drip = (response: http.ServerResponse): void => {
  const timer = setInterval(() => response.write('x'), DRIP_MS)
  response.on('close', () => clearInterval(timer))
  response.on('error', () => clearInterval(timer))
}
