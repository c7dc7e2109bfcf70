import type { AdminCall } from './call.ts'

/** A part of the management listener. */
export type AdminRoute = {
  /** Exact, or with everything below it when it ends in `/*`. */
  readonly path: string
  readonly methods: readonly ('GET' | 'POST')[]
  /**
   * `caller`: only with a valid token, where tokens are needed. `open`: for everybody from an allowed host and origin;
   * the handler looks at the caller itself, who has no role without a token.
   */
  readonly access: 'caller' | 'open'
  /** May throw a `SluiceError`. */
  readonly handle: (call: AdminCall) => Response | Promise<Response>
}
