/** A JSON-RPC error: the server understood the request and says no. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  /** A code of JSON-RPC 2.0 (−32768 to −32000), or one of the application's. */
  readonly code: number
  /** `{ code }` with the name of the error, such as `bean-not-found`, and what else there is to know. */
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The request as a whole was refused: no token, a forbidden host, too large, or something else than Sluice answers. */
export class RpcHttpError extends Error {
  override readonly name = 'RpcHttpError'
  readonly status: number
  /** The code of the problem details, such as `unauthenticated`. */
  readonly code: string | undefined

  constructor(status: number, code: string | undefined, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}

/** No answer: refused, reset, unknown host, certificate, or timeout. */
export class RpcUnreachable extends Error {
  override readonly name = 'RpcUnreachable'

  constructor(origin: string, cause: unknown) {
    super(`${origin} does not answer: ${reasonOf(cause)}`, { cause })
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  ETIMEDOUT: 'timed out',
  ECONNRESET: 'connection reset',
}

/** Why `fetch` failed, in words; it hides the reason one level down. */
export const reasonOf = (error: unknown): string => {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(inner instanceof Error)) return String(inner)
  const code = 'code' in inner ? String(inner.code) : ''
  return reasons[code] ?? (inner.message || code || 'no reason given')
}
