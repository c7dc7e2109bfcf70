import type { IncomingMessage } from 'node:http'
import type { Witness } from './fault-proxy.ts'

/** Remembers who the callers of a cluster have shown themselves to be. */
export type TokenWitness = Witness & {
  /** Delegation tokens, as found in queries, the latest last. */
  readonly tokens: ReadonlySet<string>
  /** Secrets that must not be readable elsewhere: tokens, and the messages of SPNEGO. */
  readonly secrets: ReadonlySet<string>
  /** Calls about tokens so far, by their operation. */
  readonly calls: (operation: TokenOperation) => number
  /** Calls so far that a node did not answer because of who called. */
  readonly refusals: readonly string[]
}

const operations = ['GETDELEGATIONTOKEN', 'RENEWDELEGATIONTOKEN', 'CANCELDELEGATIONTOKEN'] as const
export type TokenOperation = (typeof operations)[number]

export const createTokenWitness = (): TokenWitness => {
  const tokens = new Set<string>()
  const tickets = new Set<string>()
  const calls = new Map<string, number>()
  const refusals: string[] = []
  return {
    asked: ({ url = '', headers }) => {
      const query = queryOf(url)
      const token = query.get('delegation') ?? query.get('token')
      if (token) tokens.add(token)
      const ticket = /^Negotiate (.+)$/.exec(headers.authorization ?? '')?.[1]
      if (ticket) tickets.add(ticket)
      const operation = query.get('op') ?? ''
      calls.set(operation, (calls.get(operation) ?? 0) + 1)
    },
    answered: ({ url = '' }, status) => {
      if (status === 401 || status === 403) refusals.push(`${queryOf(url).get('op')}: ${status}`)
    },
    tokens,
    get secrets() {
      return tokens.union(tickets)
    },
    calls: operation => calls.get(operation) ?? 0,
    refusals,
  }
}

const queryOf = (url: NonNullable<IncomingMessage['url']>): URLSearchParams => new URL(url, 'http://any').searchParams
