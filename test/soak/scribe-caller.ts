import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { scribeOk } from '../bench/scribe.ts'

/** A Scribe client: one call after the other, on a connection that is replaced now and then. */
export type ScribeCaller = {
  /** Resolves when the server has answered OK; rejects with what else happened. */
  call(frame: Uint8Array): Promise<void>
  close(): void
}

const callsOfConnection = 200
const timeoutMs = 60_000
/** Of an answer to `Log`; longer ones are wrong. */
const maxAnswerBytes = 4_096

/** Calls the Scribe listener of this machine's loopback address. */
export const createScribeCaller = (port: number): ScribeCaller => {
  let socket: Socket | undefined
  let calls = 0
  let last: Promise<void> = Promise.resolve()

  const drop = (): void => {
    socket?.destroy()
    socket = undefined
  }
  const call = async (frame: Uint8Array): Promise<void> => {
    try {
      if (socket?.readyState !== 'open') {
        socket = connect({ port, host: '127.0.0.1', noDelay: true })
        await once(socket, 'connect')
      }
      const answer = await exchange(socket, frame)
      if (!answer.equals(scribeOk)) throw new Error(`answered ${answer.toString('hex')}`)
    } catch (error) {
      drop()
      throw error
    }
    if (++calls % callsOfConnection === 0) drop()
  }
  return {
    call: frame => {
      const done = last.then(() => call(frame))
      last = done.catch(() => {})
      return done
    },
    close: drop,
  }
}

/** Sends one call, and resolves with the whole frame of its answer. */
const exchange = (socket: Socket, frame: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let answer = Buffer.alloc(0)
    const timer = setTimeout(() => end(new Error(`not answered within ${timeoutMs} ms`)), timeoutMs)
    const onData = (bytes: Buffer): void => {
      answer = Buffer.concat([answer, bytes])
      if (answer.length > maxAnswerBytes) end(new Error(`answered with more than ${maxAnswerBytes} bytes`))
      else if (answer.length >= 4 && answer.length >= 4 + answer.readInt32BE()) end()
    }
    const onClose = (): void => end(new Error('the connection was closed'))
    const end = (error?: Error): void => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose).off('error', end)
      if (error) reject(error)
      else resolve(answer)
    }
    socket.on('data', onData).on('close', onClose).on('error', end)
    socket.write(frame)
  })
