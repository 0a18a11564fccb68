/** Real files from a corpus directory, each given the host name it is served under. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { siteOfDomain, type Site } from '../../src/kernel/site.ts'

export type Corpus = {
  readonly sellers: readonly {
    readonly name: string
    readonly host: string
    readonly bytes: Buffer
  }[]
  readonly robots: ReadonlyMap<Site, { readonly name: string; readonly bytes: Buffer }>
  readonly adsTxt: ReadonlyMap<Site, { readonly name: string; readonly bytes: Buffer }>
}

export const loadCorpus = async (directory: string): Promise<Corpus> => ({
  sellers: (await filesIn(join(directory, 'sellers'), '.json')).map(({ name, bytes }) => ({
    name,
    host: `network-${slugOf(name)}.example`,
    bytes,
  })),
  robots: bySite(await filesIn(join(directory, 'robots'), '.txt')),
  adsTxt: bySite(await filesIn(join(directory, 'adstxt'), '.txt')),
})

type File = { readonly name: string; readonly bytes: Buffer }

const filesIn = async (directory: string, ending: string): Promise<readonly File[]> => {
  const names = (await readdir(directory, { recursive: true })).filter((name) =>
    name.endsWith(ending),
  )
  return Promise.all(
    names.toSorted().map(async (name) => ({ name, bytes: await readFile(join(directory, name)) })),
  )
}

/** The first file of a real site gets that site; the others an invented one, so that all are read. */
const bySite = (files: readonly File[]): ReadonlyMap<Site, File> => {
  const taken = new Map<Site, File>()
  for (const file of files) {
    const real = realSiteOf(file.name)
    const site = real === undefined || taken.has(real) ? inventedSite(file.name) : real
    taken.set(site, file)
  }
  return taken
}

const DOMAIN = /(?:^|[_/])((?:[a-z0-9-]+\.)+(?:[a-z]{2,}))(?=_\d+|~|_|\/|\.txt|$)/i

const realSiteOf = (name: string): Site | undefined => {
  const domain = DOMAIN.exec(name.replace(/\.txt$/, ''))?.[1]
  return domain === undefined || /\.(txt|html|json)$/.test(domain)
    ? undefined
    : siteOfDomain(domain)
}

const inventedSite = (name: string): Site => {
  const site = siteOfDomain(`${slugOf(name)}.example`)
  if (site === undefined) throw new Error(`no host name can be made of ${name}`)
  return site
}

const SLUG_MAX = 60

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(-SLUG_MAX)
    .replaceAll(/^-+|-+$/g, '')
