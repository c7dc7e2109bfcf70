/**
 * A request as text, for corpora that people can read:
 *
 *     METHOD SP target LF
 *     (name ": " value LF)*
 *     LF
 *     body, any bytes
 */
export type TextRequest = {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

const lineEnd = 0x0a

/** Reads a request; every byte sequence is one, though perhaps not one that can be sent. */
export const parseRequest = (bytes: Uint8Array): TextRequest => {
  const lines: string[] = []
  let at = 0
  for (;;) {
    const end = bytes.indexOf(lineEnd, at)
    const line = Buffer.from(bytes.subarray(at, end < 0 ? bytes.length : end)).toString('latin1')
    at = end < 0 ? bytes.length : end + 1
    if (line === '') break
    lines.push(line)
  }
  const [first = '', ...rest] = lines
  const space = first.indexOf(' ')
  return {
    method: space < 0 ? 'GET' : first.slice(0, space),
    target: first.slice(space + 1),
    headers: rest.map(line => [line.split(':', 1).join(''), line.slice(line.indexOf(':') + 1).trim()]),
    body: bytes.subarray(at),
  }
}

/** What `new Request` takes; undefined where it takes no such method, header or target. */
export const toFetchArguments = ({
  method,
  target,
  headers,
  body,
}: TextRequest): readonly [target: string, init: RequestInit] | undefined => {
  const path = target.startsWith('/') ? target : `/${target}`
  const init: RequestInit = {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    ...(/^(?:get|head)$/i.test(method) ? {} : { body: new Uint8Array(body) }),
  }
  try {
    return new Request(`http://localhost${path}`, init).bodyUsed ? undefined : [path, init]
  } catch {
    return undefined
  }
}
