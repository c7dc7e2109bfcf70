/** An answer of the gateway that is not a success, or none at all. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  /**
   * The server's code (`not-found`, `exists`, `denied`, …), or one of this client: `unreachable`, `broken` (an answer
   * that ended too early), `unreadable` (rows of a file), `closed`, `too-long` (a row), `http-<status>`.
   */
  readonly code: string
  /** HTTP status; 0 without an answer. */
  readonly status: number

  constructor(code: string, message: string, { status = 0, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = status
  }
}

/** The error of an answer, from the problem that it holds. */
export const toGatewayError = async (response: Response): Promise<GatewayError> => {
  const problem = (await response.json().catch(() => undefined)) as Record<string, unknown> | null | undefined
  const text = (name: string): string | undefined =>
    typeof problem?.[name] === 'string' ? (problem[name] as string) : undefined
  const message = text('detail') ?? text('title') ?? `The gateway answered HTTP ${response.status}`
  return new GatewayError(text('code') ?? `http-${response.status}`, message, { status: response.status })
}
