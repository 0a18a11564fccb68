/** A module run in threads of its own, for work that keeps a processor busy. */
import { parentPort, Worker } from 'node:worker_threads'
import { assert } from '../../kernel/assert.ts'

/** What is sent is copied: plain values. */
export type Thread<Job, Step, Answer> = {
  /**
   * Gives the module a job in a new thread. A defect there is one here. The thread does not keep the
   * program from ending.
   */
  readonly run: (job: Job, onStep: (step: Step) => void) => Promise<Answer>
  /** For the module: does the one job of its thread. */
  readonly answer: (task: (job: Job, onStep: (step: Step) => void) => Promise<Answer>) => void
}

/** Megabytes of a young generation: what is folded is soon forgotten, and each thread has a heap of its own. */
const YOUNG = { maxYoungGenerationSizeMb: 12 }

export const threadOf = <Job, Step, Answer>(module: URL): Thread<Job, Step, Answer> => {
  type Message = { readonly step: Step } | { readonly answer: Answer }
  return {
    run: (job, onStep) =>
      new Promise((resolve, reject) => {
        const thread = new Worker(module, { resourceLimits: YOUNG })
        thread.on('message', (message: Message) => {
          if ('step' in message) onStep(message.step)
          else resolve(message.answer)
        })
        thread.once('error', reject)
        // After an answer this says nothing any more.
        thread.once('exit', () => reject(new Error(`${module.pathname} ended without an answer`)))
        thread.postMessage(job, [])
        thread.unref()
      }),
    answer: (task) => {
      assert(parentPort !== null, 'this module is run in a thread')
      const port = parentPort
      const send = (message: Message): void => port.postMessage(message, [])
      const answer = async (job: Job): Promise<void> => {
        send({ answer: await task(job, (step) => send({ step })) })
      }
      port.once('message', (job: Job) => void answer(job))
    },
  }
}
