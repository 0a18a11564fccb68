/** Every publisher of the rehearsal web, by what there is to learn from it. */
import { byAdsTxt } from './ads-txt.ts'
import { byHomepage } from './homepages.ts'
import { outages } from './outages.ts'
import { redirects } from './redirects.ts'
import { byRobots } from './robots.ts'
import { steady } from './steady.ts'
import type { Publisher } from '../publisher.ts'

export const CHAPTERS: readonly {
  readonly title: string
  readonly publishers: readonly Publisher[]
}[] = [
  { title: 'Servers that work, files that change', publishers: steady },
  { title: 'robots.txt', publishers: byRobots },
  { title: 'Outages', publishers: outages },
  { title: 'ads.txt', publishers: byAdsTxt },
  { title: 'ads.txt by way of redirects', publishers: redirects },
  { title: 'Homepages', publishers: byHomepage },
]

export const CATALOGUE: readonly Publisher[] = CHAPTERS.flatMap(({ publishers }) => publishers)
