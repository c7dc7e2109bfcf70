import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { SluiceError, toResponse } from '../../errors.ts'
import type { EdgeLimits } from '../limits.ts'
import { writeResponse } from './write-response.ts'

/** Answers a request of Node's server. */
export type NodeListener = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/**
 * Refuses what Node's parser lets through and a proxy in front may read in another way: the two would not agree where a
 * request ends, or whom it is for (RFC 9112, sections 2.3, 3.2 and 6.1). The connection ends with the 400, and the rest
 * of it is ignored.
 */
export const withOneReading = (listener: NodeListener, limits: EdgeLimits): NodeListener => {
  const refused = new WeakSet<Socket>()
  return (incoming, outgoing) => {
    if (refused.has(incoming.socket)) return
    try {
      checkFraming(incoming)
    } catch (error) {
      refused.add(incoming.socket)
      writeResponse(incoming, outgoing, toResponse(error), limits).catch(() => outgoing.destroy())
      return
    }
    listener(incoming, outgoing)
  }
}

/** @throws SluiceError `bad-request` */
const checkFraming = ({ httpVersion, httpVersionMajor, rawHeaders }: IncomingMessage): void => {
  if (httpVersionMajor !== 1) throw bad(`HTTP/${httpVersion} is not spoken here; HTTP/1.1 is`)
  let hosts = 0
  let codings = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    // Lengths first: this is asked of every header of every request.
    if (name.length === host.length) {
      if (name.toLowerCase() === host && ++hosts > 1) throw bad('There is more than one Host header')
    } else if (name.length === transferEncoding.length && name.toLowerCase() === transferEncoding) {
      const isChunked = rawHeaders[i + 1]?.trim().toLowerCase() === 'chunked'
      if (!isChunked || ++codings > 1) throw bad('Transfer-Encoding may be chunked, once, and nothing else')
    }
  }
}

const host = 'host'
const transferEncoding = 'transfer-encoding'

const bad = (detail: string): SluiceError =>
  new SluiceError('bad-request', detail, { headers: { connection: 'close' } })
