import { PROJECTIONS } from '../../../projections/index.ts'
import type { Opened } from '../../compose.ts'
import type { ClaimPorts } from '../../shell/citing/derive.ts'

export const claimPorts = ({ ledger, tlog, bodies, store, readers }: Opened): ClaimPorts => ({
  ...tlog,
  ledger,
  bodies,
  store,
  readers,
  projections: PROJECTIONS,
})
