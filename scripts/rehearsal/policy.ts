/** Long enough for a loopback server under load, short enough to wait for on every night. */
const REHEARSAL_LIMITS = { totalMs: 1_500, connectMs: 1_000 }

/**
 * The same policy with short limits on real time, which a simulated clock cannot make pass. `base`
 * is the text of a policy file, and so is the answer. Every promise to a site stays as it is.
 */
export const rehearsalPolicy = (base: string): string => {
  const policy: unknown = JSON.parse(base)
  return `${JSON.stringify(withShortLimits(policy), null, 2)}\n`
}

const withShortLimits = (policy: unknown): unknown =>
  typeof policy === 'object' && policy !== null ? { ...policy, limits: REHEARSAL_LIMITS } : policy
