import type { Database } from './database.ts'

/** The newest position and the time of its event; zeros in an empty ledger. */
export type Head = { readonly position: number; readonly ts: number }

export const newest = async ({ writer }: Pick<Database, 'writer'>): Promise<Head> =>
  (await writer
    .selectFrom('event')
    .select(['position', 'ts'])
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()) ?? { position: 0, ts: 0 }
