/**
 * A process of its own that has one reader of robots.txt read every hostile file of 500 KiB and
 * decide about an address of 8 KiB. Prints the number of files; its heap is limited by who starts it.
 */
import { parseHttpUrl } from '../../src/kernel/url.ts'
import { firstReader } from '../../src/robots/reader.ts'
import { secondReader } from '../../src/robots/second-reader.ts'
import { right } from './either.ts'
import { HOSTILE, hostileFile, hostilePath } from './hostile-robots.ts'

const reader = process.argv[2] === secondReader.name ? secondReader : firstReader
const ORIGIN = 'https://a.example'

const answers = Object.values(HOSTILE).map((recipe) => {
  const url = right(parseHttpUrl(ORIGIN + hostilePath(recipe, 8_192 - ORIGIN.length)))
  return reader.answer(hostileFile(recipe, 512_000), 'OurBot', url).tag
})
process.stdout.write(`${reader.name} ${answers.length}\n`)
