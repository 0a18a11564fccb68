import { type Instant, later } from '../../kernel/instant.ts'
import type { StoredHead } from '../../ledger/tlog/port.ts'
import type { Witness } from '../../ledger/tlog/witness.ts'
import { exitCodeOf, Halt } from '../halt.ts'
import { type Asked, askWitness, type AskPorts } from './ask-witness.ts'
import { objectionText } from './objecting.ts'

/** A head that does not grow is cosigned again so often: its newest time says how fresh it is. */
export const HEARTBEAT_MS = 60_000
/** A witness that keeps failing is left out of so many sealings at most, some three minutes. */
const LEFT_OUT_MAX = 64
const UNAVAILABLE = 4

/** One witness during a run: one request under way at most, and a line only when something changes. */
export class WitnessTurn {
  readonly #ports: AskPorts
  readonly #witness: Witness
  readonly #say: (text: string) => void
  #underWay: Promise<void> | undefined
  #cosigned: { readonly size: number; readonly at: Instant } | undefined
  #failures = 0
  #leftOut = 0
  #said: string | undefined
  #broken: { readonly error: unknown } | undefined

  constructor(ports: AskPorts, witness: Witness, say: (text: string) => void) {
    this.#ports = ports
    this.#witness = witness
    this.#say = say
  }

  /** Begins to ask, if that is due and nothing is under way. Never throws. */
  begin(head: StoredHead, signal: AbortSignal): void {
    if (this.#underWay !== undefined || !this.#isDue(head)) return
    if (this.#leftOut > 0) {
      this.#leftOut -= 1
      return
    }
    this.#underWay = this.#ask(head, signal).finally(() => (this.#underWay = undefined))
  }

  /**
   * Waits for what is under way, and asks a last time if the head is not cosigned yet. Throws what
   * kept it from asking on our own side, if that was more than a database that was away.
   */
  async finish(head: StoredHead | undefined, signal: AbortSignal): Promise<void> {
    await this.#underWay
    if (head !== undefined && !signal.aborted && this.#cosigned?.size !== head.size)
      await this.#ask(head, signal)
    if (this.#broken !== undefined) throw this.#broken.error
  }

  #isDue({ size }: StoredHead): boolean {
    if (this.#broken !== undefined) return false
    const last = this.#cosigned
    if (last === undefined || last.size !== size) return true
    return this.#ports.now() >= later(last.at, HEARTBEAT_MS)
  }

  async #ask(head: StoredHead, signal: AbortSignal): Promise<void> {
    try {
      this.#take(await askWitness(this.#ports, this.#witness, head, signal))
    } catch (error) {
      if (error instanceof Halt && exitCodeOf(error.failure) === UNAVAILABLE)
        this.#take({ tag: 'Unusable', because: error.message })
      else this.#broken = { error }
    }
  }

  #take(asked: Asked): void {
    const why = reasonIn(asked)
    this.#failures = why === undefined ? 0 : this.#failures + 1
    this.#leftOut = this.#failures < 2 ? 0 : Math.min(2 ** (this.#failures - 1), LEFT_OUT_MAX)
    if (asked.tag === 'Cosigned') this.#cosigned = asked
    if (why === this.#said) return
    this.#said = why
    this.#say(this.#lineOf(asked, why))
  }

  #lineOf(asked: Asked, why: string | undefined): string {
    if (asked.tag === 'Objected') return objectionText(asked.objection)
    const { name } = this.#witness.key
    return why === undefined
      ? `the witness ${name} cosigns again`
      : `the witness ${name} has not cosigned: ${why}`
  }
}

/** Why there is no cosignature; undefined if there is one. */
const reasonIn = (asked: Asked): string | undefined => {
  switch (asked.tag) {
    case 'Cosigned':
    case 'Overtaken':
      return undefined
    case 'Objected':
      return asked.objection.kind
    case 'Unusable':
      return asked.because
  }
}
