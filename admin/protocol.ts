import type { OpenBeans } from './access.ts'

/** What the server says of itself. */
export type Product = {
  readonly version: string
  /** Version of Node. */
  readonly node: string
  /** The `<vendor>` of bean names. */
  readonly vendor: string
  /** ms since the epoch. */
  readonly startedAt: number
}

/** The dependencies of a protocol. */
export type ProtocolParts = {
  readonly open: OpenBeans
  readonly product: Product
  /** ms since the epoch. */
  readonly now: () => number
  /** Called with errors that the client does not see. */
  readonly onUnexpected: (error: unknown) => void
}
