/**
 * Every error that a client can see: a stable code, an HTTP status, a title. Messages may improve, codes stay.
 * `openapi.yaml` names the same codes, and a test compares the two.
 */
export const errorTable = {
  'bad-request': { status: 400, title: 'The request is malformed' },
  'bad-parameter': { status: 400, title: 'A parameter is missing or malformed' },
  'bad-event': { status: 400, title: 'No event could be read from the request' },
  'bad-event-name': { status: 400, title: 'The event name cannot be used' },
  'bad-path': { status: 400, title: 'The path cannot be used' },
  unauthenticated: { status: 401, title: 'A valid token is needed' },
  denied: { status: 403, title: 'Not allowed' },
  'forbidden-host': { status: 403, title: 'The host or origin of the request is not allowed' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'not-acceptable': { status: 406, title: 'No acceptable representation' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  exists: { status: 409, title: 'The path exists already' },
  'not-empty': { status: 409, title: 'The directory is not empty' },
  'is-directory': { status: 409, title: 'The path is a directory' },
  'not-directory': { status: 409, title: 'The path is not a directory' },
  'precondition-failed': { status: 412, title: 'The file is not the one that was expected' },
  'too-large': { status: 413, title: 'The request is too large' },
  'uri-too-long': { status: 414, title: 'The URL is too long' },
  'unsupported-media-type': { status: 415, title: 'The content type or encoding is not supported' },
  'range-not-satisfiable': { status: 416, title: 'The range lies beyond the end' },
  unreadable: { status: 422, title: 'The file cannot be read as rows' },
  'nothing-accepted': { status: 422, title: 'No event of the request was accepted' },
  'key-reused': { status: 422, title: 'The idempotency key was used with another body' },
  'rate-limited': { status: 429, title: 'The sender is over its quota; retry later' },
  'headers-too-large': { status: 431, title: 'The request headers are too large' },
  internal: { status: 500, title: 'Internal error' },
  unsupported: { status: 501, title: 'The file system cannot do that' },
  overloaded: { status: 503, title: 'Overloaded; retry later' },
  draining: { status: 503, title: 'The server accepts no requests: it is shutting down or drained' },
  unavailable: { status: 503, title: 'The file system is unavailable' },
  'quota-exceeded': { status: 507, title: 'The quota of the file system is used up' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

/** Titles of causes that share a code with others, and that the code's own title would misstate. */
export const causeTitles = {
  'spool-failed': 'The disk of the spool cannot be written',
  'spool-full': 'The disk of the spool is full',
  'log-away': 'HDFS does not accept the log',
  'shutting-down': 'The server is shutting down',
  drained: 'The collector is drained',
  'catalog-away': 'The catalog of the table does not answer as it should',
  'no-reader': 'No reader process starts',
} as const

/** A row of {@link causeTitles}. */
export type ErrorCause = keyof typeof causeTitles

/** A stable error code of {@link errorTable}. */
export type ErrorCode = keyof typeof errorTable

/** What an error may carry beside its code. */
export type ErrorOptions = {
  /** What its title says. @default what the code says */
  readonly about?: ErrorCause | undefined
  /** For the log only. */
  readonly cause?: unknown
  /** Of the response, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The whole answer, made once: of an error that is thrown again and again. @default it is made of the error */
  readonly response?: Response | undefined
  /** Further members of the problem details (RFC 9457 §3.2). */
  readonly members?: Readonly<Record<string, unknown>>
}

/** An error with a code of {@link errorTable}; its message is shown to the client as `detail`. */
export class SluiceError extends Error {
  override readonly name: string = 'SluiceError'
  readonly code: ErrorCode
  readonly about: ErrorCause | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, unknown>>
  readonly response: Response | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.about = options.about
    this.headers = options.headers ?? {}
    this.members = options.members ?? {}
    this.response = options.response
  }

  get status(): number {
    return errorTable[this.code].status
  }
}

/**
 * It is unknown whether the request was kept, so that no answer is true: its connection closes without one. The client
 * assumes neither, and an `Idempotency-Key` makes its next attempt count once.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown'
}

/** Bytes or text that do not follow their format: which format, at which byte or character, what was expected. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly format: string
  readonly offset: number

  /** @param options `unit`: what the offset counts. @default byte */
  constructor(
    format: string,
    offset: number,
    message: string,
    { unit = 'byte', ...options }: { readonly cause?: unknown; readonly unit?: 'byte' | 'character' } = {},
  ) {
    super(`${format}: ${message} at ${unit} ${offset}`, options)
    this.format = format
    this.offset = offset
  }
}

/**
 * Bytes that follow their format but hold, or expand to, more than is accepted; the message names the limit and its
 * setting. Its offset counts in the whole file or body, however the bytes were cut.
 */
export class LimitError extends FormatError {}

/** RFC 9457 problem details, as sent with `application/problem+json`. */
export type ProblemDetails = {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  readonly detail?: string
}

/** What a client may know of a thrown value; everything unknown is `internal` and shows nothing of its cause. */
export const toProblem = (error: unknown): ProblemDetails => {
  const code = error instanceof SluiceError ? error.code : 'internal'
  const { status, title } = errorTable[code]
  const about = error instanceof SluiceError ? error.about : undefined
  return {
    type: 'about:blank',
    title: about === undefined ? title : causeTitles[about],
    status,
    code,
    ...(error instanceof SluiceError ? { detail: error.message, ...error.members } : {}),
  }
}

/** Headers of the response for something thrown, except its content type. */
export const toErrorHeaders = (error: unknown, status: number): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  ...(status === 503 ? { 'retry-after': '1' } : {}),
  ...(error instanceof SluiceError ? error.headers : {}),
})

/**
 * The one place that turns a thrown value into a response. That of an {@link OutcomeUnknown} is the network error of
 * the Fetch standard: the server closes the connection.
 */
export const toResponse = (error: unknown): Response => {
  if (error instanceof OutcomeUnknown) return Response.error()
  if (error instanceof SluiceError && error.response !== undefined) return error.response
  const problem = toProblem(error)
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', ...toErrorHeaders(error, problem.status) },
  })
}

/** Something thrown as plain values, for another thread or process of this server. */
export type ErrorFields = {
  readonly message: string
  readonly code?: ErrorCode
  readonly about?: ErrorCause
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Record<string, unknown>>
  /** Of an {@link OutcomeUnknown}. */
  readonly isUnknown?: true
  /** Of what clients are not to know of. */
  readonly stack?: string
}

export const toErrorFields = (error: unknown): ErrorFields => {
  if (error instanceof SluiceError) {
    const { code, message, about, headers, members } = error
    return { code, message, headers, members, ...(about === undefined ? {} : { about }) }
  }
  if (error instanceof OutcomeUnknown) return { message: error.message, isUnknown: true }
  if (!(error instanceof Error)) return { message: String(error) }
  return { message: error.message, ...(error.stack === undefined ? {} : { stack: error.stack }) }
}

/** The same thing, to be thrown. */
export const fromErrorFields = ({ message, code, isUnknown, stack, ...options }: ErrorFields): Error => {
  if (code !== undefined) return new SluiceError(code, message, options)
  if (isUnknown) return new OutcomeUnknown(message)
  return Object.assign(new Error(message), stack === undefined ? {} : { stack })
}

/** What was thrown, as an error. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))
