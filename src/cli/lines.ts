/** The lines of a byte stream, for batch verbs: one JSON object each, and none without a bound. */
const LINE_BYTES_MAX = 268_435_456
const NEWLINE = 0x0a

/** Yields each line as text. A line over the bound is an error: it is not one object any more. */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = []
  let held = 0
  for await (const chunk of input) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]).toString('utf8')
      parts = []
      held = 0
      from = end + 1
      if (line.trim() !== '') yield line
    }
    parts.push(chunk.subarray(from))
    held += chunk.length - from
    if (held > LINE_BYTES_MAX)
      throw new RangeError(`an input line is longer than ${LINE_BYTES_MAX} bytes`)
  }
  const rest = Buffer.concat(parts).toString('utf8')
  if (rest.trim() !== '') yield rest
}
