/**
 * A Crawl-delay in milliseconds, rounded up, or undefined where the value is not a decimal number
 * of seconds ≥ 0. Not part of RFC 9309; read by digits, so that no fraction is lost to floating point.
 */
export const crawlDelayOf = (value: string): number | undefined => {
  const digits = /^(\d*)(?:\.(\d*))?$/.exec(value)
  const [, whole = '', fraction = ''] = digits ?? []
  if (digits === null || whole + fraction === '') return undefined
  const beyond = /[1-9]/.test(fraction.slice(3)) ? 1 : 0
  const milliseconds = Number(whole) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0')) + beyond
  return Math.min(milliseconds, Number.MAX_SAFE_INTEGER)
}
