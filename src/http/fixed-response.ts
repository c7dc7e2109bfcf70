/**
 * A response that is made once and answered many times. Building a `Response` costs as much as parsing a small event,
 * and most intake answers are the same empty 202. Its headers cannot be changed: one
 * request must not see what another one added.
 */
export class FixedResponse extends Response {
  /** The status again: reading the property of `Response` is slow. */
  readonly code: number
  /** Header names and values in turn, as Node writes them. */
  readonly head: string[]
  /** The body; empty for none. */
  readonly content: string

  constructor(status: number, headers: Readonly<Record<string, string>>, content = '') {
    const hasLength = status !== 204 && status !== 304
    super(content === '' ? null : content, { status, headers })
    this.code = status
    this.content = content
    const length = { 'content-length': String(new TextEncoder().encode(content).length) }
    this.head = Object.entries(hasLength ? { ...headers, ...length } : headers).flat()
    lock(this.headers)
  }
}

/** Makes a {@link FixedResponse} without a body, so that it can be answered any number of times. To add headers to it, copy it: `new Response(null, fixed)`. */
export const createFixedResponse = (status: number, headers: Readonly<Record<string, string>> = {}): FixedResponse =>
  new FixedResponse(status, headers)

const lock = (headers: Headers): void => {
  const refuse = (): never => {
    throw new TypeError('Cannot change the headers of a shared response: copy it first')
  }
  Object.assign(headers, { append: refuse, set: refuse, delete: refuse })
}
