/** What a second run of a night concludes from an answer that the first one got. */
import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { later } from '../../../src/kernel/instant.ts'
import type { Crawl } from '../../../src/shell/crawl.ts'
import { fetchFile } from '../../../src/shell/fetch-file.ts'
import { loadProgramme } from '../../../src/cli/programme.ts'
import { scriptedWorld } from '../../support/scripted.ts'
import { SITE, url } from '../../support/site.ts'

const PAGE = 'https://news.example/new'
const DAY_MS = 86_400_000

test('PK12 RC10: a 304 that another run got tonight stands for the body of the last whole answer', async () => {
  const { policy } = await loadProgramme('pta-karo')
  equal(policy.fetch.page?.conditional, true)
  const world = scriptedWorld({
    [PAGE]: { status: 200, headers: [['ETag', '"one"']], body: 'new' },
  })
  const once = { per: 'run', hoursAtLeast: 20 } as const
  const run = async (name: string): Promise<void> => {
    const crawl: Crawl = { ...world.crawl(name), policy: { ...policy, once } }
    const wanted = { subject: SITE, purpose: 'page', target: url(PAGE), source: 'a' } as const
    await world.clock.track(() => fetchFile(crawl, wanted))
  }
  await run('run-1')
  await world.clock.sleepUntil(later(world.clock.now(), DAY_MS))
  world.script[PAGE] = { status: 304 }
  await run('run-2')
  await run('run-3')
  const concluded = await world.of('FetchConcluded')
  deepEqual(
    concluded.map(({ status, because, reused }) => [status, because, reused]),
    [
      [200, '', false],
      [304, 'not-modified', false],
      [304, 'not-modified', true],
    ],
  )
  equal(new Set(concluded.map(({ commit }) => commit)).size, 1)
  equal(world.asked.filter((address) => address === PAGE).length, 2)
  await world.close()
})
