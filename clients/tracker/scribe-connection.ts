// node-only: a TCP connection
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

import { requirePort, requireText } from '../required.ts'

/** How to reach a Scribe server. */
export type ScribeAddress = {
  readonly host: string
  /** @default 7911 */
  readonly port?: number
}

/** One connection, opened when first needed and again after a failure; one exchange at a time. */
export type ScribeConnection = {
  /** Writes a frame and gives the next one that comes back, without its length. @throws Error when it breaks */
  exchange(frame: Uint8Array, signal: AbortSignal): Promise<Uint8Array>
  close(): void
}

export const createScribeConnection = (
  { host, port = 7911 }: ScribeAddress,
  maxReplyBytes: number,
): ScribeConnection => {
  requireText(host, 'host of the Scribe sender', 'a name or an address')
  requirePort(port, 'port of the Scribe sender')
  let socket: Socket | undefined
  const drop = (): void => {
    socket?.destroy()
    socket = undefined
  }
  const open = async (signal: AbortSignal): Promise<Socket> => {
    if (socket !== undefined && !socket.destroyed && socket.writable) return socket
    socket = connect({ host, port, noDelay: true })
    // A connection that waits does not keep the process alive, and one that breaks meanwhile is opened again.
    socket.unref()
    socket.on('error', () => {})
    await once(socket, 'connect', { signal })
    return socket
  }
  return {
    exchange: async (frame, signal) => {
      try {
        const open_ = await open(signal)
        open_.ref()
        const reply = readFrame(open_, maxReplyBytes, signal)
        open_.write(frame)
        const bytes = await reply
        open_.unref()
        return bytes
      } catch (error) {
        drop()
        throw error
      }
    },
    close: drop,
  }
}

const readFrame = (socket: Socket, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    const settle = (done: () => void): void => {
      socket.off('data', onData).off('error', onError).off('close', onClose)
      signal.removeEventListener('abort', onAbort)
      done()
    }
    const fail = (error: Error): void => settle(() => reject(error))
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.length < 4) return
      const length = bytes.readInt32BE(0)
      if (length < 0 || length > maxBytes) fail(new Error(`A reply of ${length} bytes; at most ${maxBytes} are read`))
      else if (bytes.length > 4 + length) fail(new Error('The server sent more than one reply'))
      else if (bytes.length === 4 + length) settle(() => resolve(bytes.subarray(4)))
    }
    const onError = (error: Error): void => fail(error)
    const onClose = (): void => fail(new Error('The server closed the connection'))
    const onAbort = (): void => fail(new Error('No reply in time', { cause: signal.reason }))
    socket.on('data', onData).on('error', onError).on('close', onClose)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
  })
