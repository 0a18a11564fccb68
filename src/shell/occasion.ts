import type { Occasion } from '../politeness/robots-copy.ts'
import type { Crawl } from './crawl.ts'

/** Who asks, and the time it is now. */
export const occasionOf = ({ policy, night, run, kind, ports }: Crawl): Occasion => ({
  policy,
  night,
  run,
  kind,
  now: ports.clock.now(),
})
