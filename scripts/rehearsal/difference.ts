/** In what the servers' access logs and the ledger differ. */
export type Difference = {
  readonly kind:
    | 'extra' // a server saw a request that the ledger has not
    | 'early' // a server saw it before the ledger said it would be sent
    | 'missing' // the ledger has an answer to a request that no server saw
    | 'status' // the two tell of different answers
    | 'order' // a host saw two requests in another order than the ledger
    | 'overlap' // two requests were open to one site at once
    | 'pause' // the next request to a site came too soon
    | 'connection' // a host took more connections than the ledger has requests
  readonly words: string
}

export const difference = (kind: Difference['kind'], words: string): Difference => ({ kind, words })
