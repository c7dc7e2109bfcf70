import type { IncomingMessage } from 'node:http'
import { SluiceError, toResponse } from '../../errors.ts'
import type { EdgeLimits } from '../limits.ts'
import type { NodeListener } from './one-reading.ts'
import { writeResponse } from './write-response.ts'

/**
 * Makes of each form of a request target (RFC 9112, section 3.2) what a handler expects, a path with its query. The host in an
 * absolute target counts instead of the `Host` header, whatever that says; `OPTIONS *` asks about the server as a whole,
 * and is answered here.
 */
export const withTarget =
  (listener: NodeListener, limits: EdgeLimits): NodeListener =>
  (incoming, outgoing) => {
    const { url = '', method } = incoming
    if (url.startsWith('/')) return listener(incoming, outgoing)
    let answer: Response
    try {
      if (url !== '*' || method !== 'OPTIONS') {
        toOriginForm(incoming, url)
        return listener(incoming, outgoing)
      }
      answer = new Response(null, { status: 204, headers: { allow: anyMethod } })
    } catch (error) {
      answer = toResponse(error)
    }
    writeResponse(incoming, outgoing, answer, limits).catch(() => outgoing.destroy())
  }

const anyMethod = 'GET, HEAD, POST, PUT, DELETE, OPTIONS'

/** @throws SluiceError `bad-request` for a target that is neither a path nor an address of HTTP */
const toOriginForm = (incoming: IncomingMessage, url: string): void => {
  const [, authority, path = ''] = absoluteForm.exec(url) ?? []
  if (authority === undefined) {
    throw new SluiceError('bad-request', 'The target of the request is neither a path nor an http address')
  }
  const { headers, rawHeaders } = incoming
  incoming.url = path.startsWith('/') ? path : `/${path}`
  headers.host = authority
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  if (at < 0) rawHeaders.push('Host', authority)
  else rawHeaders[at + 1] = authority
}

/** Without user information, which no target may have (RFC 9110, section 4.2.4). */
const absoluteForm = /^https?:\/\/([^/?#@\\]+)([/?].*)?$/i
