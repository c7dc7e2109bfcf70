// node-only: sockets
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/**
 * A socket that is always read from, also while nobody takes what it reads. Node's HTTP/2 stops reading while a write of
 * its own waits: where both ends do, and each waits for the other one to read, neither goes on for ever. One end that
 * reads on is enough. It keeps what it has read, so it is for the end that is sent little.
 */
export const createDrainedSocket = (socket: Socket): Duplex => {
  const drained = new Duplex({
    read: () => {},
    write: (chunk: Uint8Array, _, done) => void socket.write(chunk, done),
    writev: (chunks, done) => {
      socket.cork()
      for (const [index, { chunk }] of chunks.entries()) {
        if (index < chunks.length - 1) socket.write(chunk as Uint8Array)
        else socket.write(chunk as Uint8Array, done)
      }
      socket.uncork()
    },
    final: done => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy()
      done(error)
    },
  })
  socket.on('data', chunk => drained.push(chunk))
  socket.on('end', () => drained.push(null))
  socket.on('error', error => drained.destroy(error))
  socket.on('close', () => drained.destroy())
  return drained
}
