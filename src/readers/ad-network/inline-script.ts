/** Addresses written in an inline script, comments left out. Linear in the script. */
export const addressesIn = (script: string): readonly string[] => {
  const code = withoutComments(script.replace(/\\(?:\/|u002f|x2f)/gi, '/'))
  const parts = [...code.matchAll(WITHOUT_SCHEME)].map(([address]) => `//${address}`)
  return [...[...code.matchAll(ADDRESS)].map(([address]) => address), ...parts]
}

/** `'https:' + '//'` is often put before a string that begins with the host. */
const WITHOUT_SCHEME = /(?<=["'`])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\/[^\s"'`<>\\(){}]{0,500}/gi

/** `//host` with what follows of it, as a URL without its scheme. */
const ADDRESS = /\/\/[a-z0-9-][a-z0-9.-]{2,252}(?::\d{1,5})?(?:\/[^\s"'`<>\\(){}]{0,500})?/gi

/**
 * JavaScript cannot be split into code and comments without reading it as a whole. These two forms
 * are what commented-out tags look like, and neither is found inside an address.
 */
const withoutComments = (code: string): string =>
  withoutBlocks(code).replace(/^[ \t]*\/\/.*$|(?<=[\s;{}),])\/\/\s.*$/gm, '')

const withoutBlocks = (code: string): string => {
  const kept: string[] = []
  let from = 0
  for (;;) {
    const open = nextBlock(code, from)
    const close = open < 0 ? -1 : code.indexOf('*/', open + 2)
    if (close < 0) break
    kept.push(code.slice(from, open))
    from = close + 2
  }
  return [...kept, code.slice(from)].join('')
}

/** A comment opens at the start or behind a separator; elsewhere the two characters are a pattern. */
const nextBlock = (code: string, from: number): number => {
  for (let at = code.indexOf('/*', from); at >= 0; at = code.indexOf('/*', at + 2))
    if (at === 0 || /[\s;{}(),=]/.test(code.charAt(at - 1))) return at
  return -1
}
