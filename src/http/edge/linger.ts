import type { IncomingMessage } from 'node:http'
import { startTimeout } from '../../runtime/timers.ts'
import { toAnnouncedBytes } from '../body/read-body.ts'

/** Bodies up to this size are read to their end after an early answer, so that the connection lives on. */
export const smallBodyBytes = 65_536

/** Whether a part of the body has not arrived yet. */
export const isBodyPending = (incoming: IncomingMessage): boolean =>
  !incoming.complete && toAnnouncedBytes(incoming) !== 0

/** Whether the connection has to be closed after an answer that preceded the body. */
export const needsClose = (incoming: IncomingMessage, status: number): boolean =>
  status === 408 || status === 413 || (toAnnouncedBytes(incoming) ?? Number.POSITIVE_INFINITY) > smallBodyBytes

/**
 * Throws away the rest of a body, up to a number of bytes and ms. Closing a socket with unread bytes resets the
 * connection, and the client may then never see the answer; so the answer is sent, the rest is read, and only then is
 * the connection closed.
 */
export const drainBody = (incoming: IncomingMessage, maxBytes: number, timeoutMs: number): Promise<void> =>
  new Promise(resolve => {
    if (incoming.complete || incoming.destroyed) {
      resolve()
      return
    }
    let length = 0
    const done = (): void => {
      clearTimeout(timer)
      incoming.off('data', onData).off('end', done).off('close', done)
      resolve()
    }
    const onData = (chunk: Buffer): void => {
      length += chunk.length
      if (length > maxBytes) done()
    }
    const timer = startTimeout(done, timeoutMs)
    incoming.on('data', onData).on('end', done).on('close', done).resume()
  })
