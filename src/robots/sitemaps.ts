import { E } from '../kernel/fp.ts'
import { type HttpUrl, parseHttpUrl } from '../kernel/url.ts'
import { textOfOctets } from './octets.ts'
import type { RobotsFile } from './robots-file.ts'
import { eachOf } from './rows.ts'
import { URL_LENGTH_MAX } from '../kernel/url.ts'

/**
 * The addresses on the file's Sitemap lines, each once, in file order. They speak to everybody, so
 * it does not matter where they stand (RFC 9309 §2.2.4). A relative address is resolved against
 * `robotsUrl`; what is no web address, or holds white space, is left out.
 */
export const sitemapsOf = (file: RobotsFile, robotsUrl: HttpUrl): readonly HttpUrl[] => {
  const found = new Set<HttpUrl>()
  for (const { value } of eachOf(file.sitemaps)) {
    if (value === '' || value.length > URL_LENGTH_MAX || /[ \t]/.test(value)) continue
    const url = parseHttpUrl(textOfOctets(value, URL_LENGTH_MAX), robotsUrl)
    if (E.isRight(url)) found.add(url.right)
  }
  return [...found]
}
