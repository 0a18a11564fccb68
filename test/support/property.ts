/**
 * fast-check, set up once: FC_RUNS is the number of runs of each property (100 if unset), FC_SEED
 * repeats a run. A failing property prints its seed and its shrunk counterexample.
 */
import * as fc from 'fast-check'

const { FC_RUNS, FC_SEED } = process.env

export const RUNS = Number(FC_RUNS ?? 100)

fc.configureGlobal({
  numRuns: RUNS,
  ...(FC_SEED === undefined ? {} : { seed: Number(FC_SEED) }),
})

export { fc }
