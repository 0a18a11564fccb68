/**
 * What changed between two versions of a site's ads.txt, as sentences worth telling: a comment added
 * changes nothing, a line that broke is one event and not two.
 */
import type { AdsTxtContext } from '../ads-txt/variable.ts'
import { compareVersions } from './compare.ts'
import { versionOfText } from './version.ts'

export type ChangeReading = {
  readonly bytesChanged: boolean
  readonly events: readonly string[]
}

export const readChange = (
  before: string,
  after: string,
  context: AdsTxtContext = {},
): ChangeReading => {
  const changes = compareVersions(versionOfText(before, context), versionOfText(after, context))
  return { bytesChanged: before !== after, events: changes.map(({ says }) => says) }
}
