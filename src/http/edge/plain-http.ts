import type { Server } from 'node:https'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { SluiceError } from '../../errors.ts'
import { answerClientError } from './client-error.ts'

/** What OpenSSL says of a request that begins with a method instead of a handshake. */
const httpRequest = 'ERR_SSL_HTTP_REQUEST'

/**
 * Answers plain HTTP on a TLS port with an explanation, instead of closing the connection silently. Node has ended the
 * TLS side by then, so the answer goes out on the bare connection, which is known until its handshake is done. No
 * redirect: the request, a token included, has been in the clear already, and should not go unnoticed.
 */
export const answerPlainHttp = (server: Server): void => {
  const handshaking = new Map<string, Socket>()
  server.on('connection', (socket: Socket) => {
    const key = toKey(socket)
    handshaking.set(key, socket)
    socket.once('close', () => {
      if (handshaking.get(key) === socket) handshaking.delete(key)
    })
  })
  server.on('secureConnection', socket => handshaking.delete(toKey(socket)))
  server.on('clientError', (error: Error & { readonly code?: string }, socket) => {
    const bare = handshaking.get(toKey(socket))
    if (error.code === httpRequest && bare !== undefined) answerClientError(speaksTls, bare)
    else answerClientError(error, socket)
  })
}

const speaksTls = new SluiceError('bad-request', 'This port speaks HTTPS: use https:// instead of http://')

const toKey = (socket: Duplex): string =>
  socket instanceof Socket ? `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}` : ''
