/** An answer as the client reads it. */
export type ParsedAnswer = {
  readonly status: number
  /** By lower-case names; what comes more than once is joined with a comma. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/**
 * Splits what a server has sent (latin1) into answers.
 * @param isBodiless whether an answer with these headers, after so many others, is for `HEAD`
 * @returns those that are whole, and how many characters are left after them
 * @throws Error anything but an answer
 */
export const parseAnswers = (
  text: string,
  isBodiless: (headers: ParsedAnswer['headers'], index: number) => boolean,
): { readonly answers: ParsedAnswer[]; readonly left: number } => {
  const answers: ParsedAnswer[] = []
  let at = 0
  let finals = 0
  while (at < text.length) {
    const headEnd = text.indexOf('\r\n\r\n', at)
    if (headEnd < 0) break
    const [first = '', ...lines] = text.slice(at, headEnd).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (!(status >= 100)) throw new Error(`no answer begins with ${JSON.stringify(first)}`)
    const headers = toHeaders(lines)
    const hasBody = status >= 200 && status !== 204 && status !== 304 && !isBodiless(headers, finals)
    const read = hasBody ? readBody(text, headEnd + 4, headers) : { body: '', end: headEnd + 4 }
    if (read === undefined) break
    answers.push({ status, headers, body: read.body })
    if (status >= 200) finals += 1
    at = read.end
  }
  return { answers, left: text.length - at }
}

const toHeaders = (lines: readonly string[]): Map<string, string> => {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(': ')
    if (colon < 1) throw new Error(`no header of an answer: ${JSON.stringify(line)}`)
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 2)
    const known = headers.get(name)
    headers.set(name, known === undefined ? value : `${known}, ${value}`)
  }
  return headers
}

type ReadBody = { readonly body: string; readonly end: number }

/** Undefined where the end has not come. */
const readBody = (text: string, start: number, headers: ReadonlyMap<string, string>): ReadBody | undefined => {
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(text, start)
  const length = headers.get('content-length')
  // What Node's server answers by itself may be without one, for HEAD, and nothing is behind it.
  const end = start + Number(length ?? 0)
  return end > text.length ? undefined : { body: text.slice(start, end), end }
}

const readChunks = (text: string, start: number): ReadBody | undefined => {
  let body = ''
  let at = start
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const length = Number.parseInt(text.slice(at, lineEnd), 16)
    const end = lineEnd + 2 + length
    if (end + 2 > text.length) return undefined
    body += text.slice(lineEnd + 2, end)
    at = end + 2
    if (length === 0) return { body, end: at }
  }
}
