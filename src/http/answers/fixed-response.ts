/**
 * A response that is made once and answered many times. Building a `Response` costs as much as parsing a small event,
 * and most intake answers are the same 202. Its headers cannot be changed: one
 * request must not see what another one added.
 */
export class FixedResponse extends Response {
  /** The status again: reading the property of `Response` is slow. */
  readonly code: number
  /** Header names and values in turn, as Node writes them. */
  readonly head: string[]
  /** Its body, which is read from here: that of a `Response` can be read once only. As text it goes out with the head. */
  readonly content: string

  constructor(status: number, headers: Readonly<Record<string, string>>, content: string) {
    super(null, { status, headers })
    this.code = status
    this.content = content
    this.head = Object.entries(
      status === 204 || status === 304 ? headers : { ...headers, 'content-length': String(Buffer.byteLength(content)) },
    ).flat()
    lock(this.headers)
  }

  /** The same for those who read a `Response` itself: with its content as the body, to be read once. */
  toResponse(): Response {
    return this.content === '' ? this : new Response(this.content, { status: this.code, headers: this.headers })
  }
}

/** Makes a {@link FixedResponse}. To add headers to it, copy it: `new Response(null, fixed)`. */
export const createFixedResponse = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
  content = '',
): FixedResponse => new FixedResponse(status, headers, content)

const lock = (headers: Headers): void => {
  const refuse = (): never => {
    throw new TypeError('Cannot change the headers of a shared response: copy it first')
  }
  Object.assign(headers, { append: refuse, set: refuse, delete: refuse })
}
