/** A second version of the ads.txt reader, for tests only, and what a rebuild with it changes. */
import type { Projection } from '../../projections/projection.ts'
import { E } from '../../src/kernel/fp.ts'
import { ADS_TXT_READER } from '../../src/readers/ads-txt/capture.ts'
import type { Reader } from '../../src/readers/reader.ts'
import { turnOf } from '../../src/shell/projecting/adopt-reader.ts'
import { type Change, type Compared, compareTables } from '../../src/shell/projecting/changes.ts'
import type { ProjectionPorts } from '../../src/shell/projecting/folding.ts'
import { rebuild, type RebuildOptions } from '../../src/shell/projecting/rebuild.ts'
import { right } from './either.ts'

/** Reads the file with some octets put in the place of others. */
export const adsTxtReading = (version: number, from: string, to: string): Reader => ({
  ...ADS_TXT_READER,
  version,
  read: (capture) => {
    const text = capture.body.toString('latin1').replaceAll(from, to)
    return ADS_TXT_READER.read({ ...capture, body: Buffer.from(text, 'latin1') })
  },
})

export const withReader = (ports: ProjectionPorts, reader: Reader): ProjectionPorts => ({
  ...ports,
  readers: [...ports.readers, reader],
})

export const withLenientAdsTxt = (ports: ProjectionPorts): ProjectionPorts =>
  withReader(ports, adsTxtReading(2, ';', ','))

/** Rebuilds with the newest reader, or with `wanted`, and gathers every change. */
export const changesOf = async (
  ports: ProjectionPorts,
  projection: Projection,
  options: RebuildOptions = {},
  wanted?: string,
) => {
  const turn = right(await turnOf(ports)(projection, wanted)())
  const changes: Change[] = []
  let compared: Compared | undefined
  const rebuilt = right(
    await rebuild(ports)(turn.projection, {
      ...options,
      compare: (before, after) => async () => {
        const found = await compareTables(ports.store, { projection, before, after }, (change) => {
          changes.push(change)
        })
        if (E.isLeft(found)) return found
        compared = found.right
        return E.right(undefined)
      },
    })(),
  )
  return { changes, compared, rebuilt }
}
