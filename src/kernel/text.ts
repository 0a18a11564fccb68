/**
 * `input` as it may enter an event: at most `max` UTF-16 units, no character cut in two, and lone
 * surrogates, which have no UTF-8 form, replaced by U+FFFD.
 */
export const clip = (input: string, max: number): string => {
  const whole = input.toWellFormed()
  if (whole.length <= max) return whole
  const cut = whole.slice(0, max)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
