import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorCode, SluiceError, toProblem } from '../../errors.ts'
import { startTimeout } from '../../runtime/timers.ts'

/** How long a client may take to read why it was refused. */
const goodbyeMs = 1_000

const codeOf: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers-too-large', 'The headers, the URL included, are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['too-large', 'The chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request-timeout', 'The headers did not arrive in time'],
}

/**
 * Answers what never became a request (bad syntax, headers too large or too slow) and closes the connection. A
 * `SluiceError` says itself what is wrong.
 */
export const answerClientError = (error: Error & { readonly code?: string }, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [code, detail] = codeOf[error.code ?? ''] ?? (['bad-request', 'The request is not HTTP'] as const)
  const problem = toProblem(error instanceof SluiceError ? error : new SluiceError(code, detail))
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  startTimeout(() => socket.destroy(), goodbyeMs).unref()
}
