/** A log with some history and a kept body, and what is published of it. */
import { randomBytes } from 'node:crypto'
import { ok } from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import { fileBodyStore } from '../../src/adapters/bodies/files.ts'
import { folderAt } from '../../src/adapters/files/folder.ts'
import { position } from '../../src/kernel/position.ts'
import { siteOfHost } from '../../src/kernel/site.ts'
import { siteStream } from '../../src/ledger/stream.ts'
import { policyText } from '../../src/publish/policy.ts'
import { type Bodies, tellingErased } from '../../src/shell/erasing/erased-bodies.ts'
import { writeEvidence } from '../../src/shell/tlog/evidence.ts'
import { right } from './either.ts'
import { RUN } from './ledgers.ts'
import { sampleOf } from './samples.ts'
import { ORIGIN, type SealedLedger, sealedLedger } from './sealing.ts'

export type PublishedLog = SealedLedger & {
  readonly bodies: Bodies
  /** The position of a response whose body is kept. */
  readonly withBody: number
  /** Has that body erased; the event is sealed, at position 622. */
  readonly erase: () => Promise<void>
  readonly policy: () => Promise<string>
  /** A directory of its own, removed at the end. */
  readonly directory: () => Promise<string>
  /** The directory of the evidence for a position. */
  readonly evidence: (position: number) => Promise<string>
}

/** 621 entries; heads at 1, 6, 306, 307 and 621. */
export const publishedLog = async (t: TestContext): Promise<PublishedLog> => {
  const log = await sealedLedger(t)
  const store = right(await fileBodyStore(join(log.data, 'bodies'), randomBytes)())
  const bodies = tellingErased(store, log.ledger)
  const directory = async (): Promise<string> => {
    const made = await mkdtemp(join(tmpdir(), 'published-log-'))
    after(() => rm(made, { recursive: true, force: true }))
    return made
  }
  await log.seal()
  await log.append(5)
  await log.seal()
  await log.append(300)
  await log.seal()
  const text = 'google.example, pub-1, DIRECT\n'
  const commit = right(await bodies.put(Buffer.from(text))())
  const { event: sample } = sampleOf('ResponseReceived')
  ok(sample.type === 'ResponseReceived')
  const body = {
    kept: true,
    alg: 'sha256-salt32',
    commit,
    bytes: text.length,
    truncated: false,
  } as const
  const stream = siteStream(siteOfHost('body.example'))
  right(
    await log.ledger.append(RUN, { stream, expectedVersion: 0, events: [{ ...sample, body }] })(),
  )
  await log.seal()
  await log.append(314)
  await log.seal()
  const ports = { ...log.tlog, ledger: log.ledger, bodies }
  return {
    ...log,
    bodies,
    withBody: 307,
    erase: async () => {
      const { event: act } = sampleOf('BodyErased')
      ok(act.type === 'BodyErased')
      const erased = { ...act, response: position(307), commit, bytes: text.length }
      right(await log.ledger.append(RUN, { stream, expectedVersion: 1, events: [erased] })())
      await log.seal()
      right(await bodies.erase(commit)())
    },
    directory,
    policy: async () => policyText(right(await log.tlog.keys.list(ORIGIN)()).map(({ key }) => key)),
    evidence: async (at) => {
      const made = await directory()
      await writeEvidence(ports, at, folderAt(made))
      return made
    },
  }
}

export const filesIn = async (directory: string): Promise<Map<string, Buffer>> => {
  const names = await readdir(directory)
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(directory, name))] as const),
    ),
  )
}
