// node-only: works on the sockets of Node's server
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'

/** Lets connections have targets that Node's parser refuses. */
export type RawTargets = {
  /**
   * To be called when the reader of the server has the connection, and no byte of it yet.
   * @param left what the connection begins with
   */
  watch(socket: Socket, left: Buffer): void
}

/**
 * Requests may have characters beyond ASCII in their targets as they are, in UTF-8: no URI has them (RFC 3986), but Hadoop's
 * clients and `curl` send them, and name nodes take them. They are escaped in the line that a message begins with, where
 * it comes in one piece, in connections whose first request is for a path below `path`. Others are read by Node alone, which
 * is faster; so are those that begin with much to send, which end behind it, because nobody would look at what follows.
 */
export const createRawTargets = (server: Server, path: string): RawTargets => {
  const beginning = new RegExp(`^[A-Z]{3,7} ${path}`)
  /** The last request of each connection that is watched. */
  const latest = new WeakMap<Socket, Pick<IncomingMessage, 'complete'>>()
  const leftAlone = new WeakSet<Socket>()
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming
    if (latest.has(socket)) latest.set(socket, incoming)
    if (leftAlone.has(socket)) outgoing.shouldKeepAlive = false
  })
  const escapeTarget = (bytes: Buffer): Buffer => {
    if (!beginning.test(bytes.toString('latin1', 0, maxMethodChars + path.length))) return bytes
    const end = bytes.indexOf('\n')
    const line = end < 0 ? '' : bytes.toString('latin1', 0, end)
    const escaped = line.replaceAll(/[\x80-\xff]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    return escaped === line ? bytes : Buffer.concat([Buffer.from(escaped, 'latin1'), bytes.subarray(end)])
  }
  return {
    watch: (socket, left) => {
      if (!beginning.test(left.toString('latin1', 0, maxMethodChars + path.length))) return
      if (bringsMuch(left)) {
        leftAlone.add(socket)
        return
      }
      latest.set(socket, { complete: true })
      const readers = socket.listeners('data')
      socket.removeAllListeners('data')
      socket.on('data', (bytes: Buffer) => {
        // Within a body the same bytes mean nothing.
        const passed = latest.get(socket)?.complete === true ? escapeTarget(bytes) : bytes
        for (const reader of readers) reader.call(socket, passed)
      })
    },
  }
}

/** Whether a request of ASCII alone has a megabyte or more behind its head, or what may be as much. */
const bringsMuch = (bytes: Buffer): boolean => {
  const end = bytes.indexOf('\r\n\r\n')
  const head = bytes.toString('latin1', 0, end < 0 ? bytes.length : end)
  return /^[\x20-\x7e\r\n]*$/.test(head) && /\r\n(?:content-length: *\d{7}|transfer-encoding:)/i.test(head)
}

/** `OPTIONS` and a space. */
const maxMethodChars = 8
