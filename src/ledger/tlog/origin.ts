/** Where the names of logs with a simulated clock begin: a domain that never is anybody's. */
export const SIMULATED = 'simulated.invalid'

/** Whether the log of this name is a rehearsal. */
export const isSimulated = (origin: string): boolean => origin.startsWith(`${SIMULATED}/`)
