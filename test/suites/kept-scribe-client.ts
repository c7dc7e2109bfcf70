import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { encodeFields, thriftType } from '../../src/formats/thrift/field-list.ts'
import { encodeFrame, encodeMessage, messageType } from '../../src/formats/thrift/message.ts'
import { scribeOk } from '../bench/scribe.ts'
import type { KeepAliveClient, KeepAliveCounts } from './keep-alive-client.ts'
import type { ClientLedger } from './ledger-of-client.ts'
import { toMark } from './marks.ts'

/**
 * Calls `Log` again and again over one connection. A call on a connection that had been used before, and is closed
 * without a byte of an answer, is repeated on another one: the server ends connections between calls.
 * @param repeats where it may end them within calls, too, one that is repeated could count twice
 * @param longestRestMs between two calls; each rest is another one
 */
export const createKeptScribeClient = (
  port: number,
  ledger: ClientLedger,
  { repeats = true, longestRestMs = 0 }: { readonly repeats?: boolean; readonly longestRestMs?: number } = {},
): KeepAliveClient => {
  const counts: KeepAliveCounts = { accepted: 0, failed: [], repeated: 0 }
  let isOver = false
  let socket: Socket | undefined

  const call = async (event: number): Promise<void> => {
    const isReused = socket?.readyState === 'open'
    if (!socket || !isReused) socket = await open(port)
    const answer = await exchange(socket, toCall(event))
    if (answer.equals(scribeOk)) {
      counts.accepted++
      return ledger.acknowledge(event)
    }
    socket.destroy()
    if (answer.length > 0 || !isReused || !repeats) return void counts.failed.push(`Log: ${answer.toString('hex')}`)
    counts.repeated++
    await call(event)
  }
  const run = async (): Promise<void> => {
    while (!isOver) {
      await call(ledger.issue()).catch((error: Error) => counts.failed.push(error.message))
      if (longestRestMs > 0) await pause(Math.random() * longestRestMs)
    }
  }
  const running = run()
  return {
    counts,
    stop: async () => {
      isOver = true
      await running
      socket?.destroy()
    },
  }
}

const open = async (port: number): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket.on('error', () => {})
}

/** The bytes of the answer; fewer where the connection ended before. */
const exchange = (socket: Socket, call: Buffer): Promise<Buffer> =>
  new Promise(resolve => {
    let answer = Buffer.alloc(0)
    const done = (): void => {
      socket.off('data', onData).off('close', done).off('end', done)
      resolve(answer)
    }
    const onData = (bytes: Buffer): void => {
      answer = Buffer.concat([answer, bytes])
      if (answer.length >= scribeOk.length) done()
    }
    socket.on('data', onData).on('close', done).on('end', done)
    socket.write(call)
  })

const toCall = (event: number): Buffer => {
  const fields = encodeFields([{ id: 1, type: thriftType.string, value: Buffer.from(toMark(event)) }])
  const message = encodeMessage({ name: 'Log', type: messageType.call, sequence: 0 }, writer => {
    writer.fieldHeader(thriftType.list, 1)
    writer.byte(thriftType.struct)
    writer.i32(1)
    writer.fieldHeader(thriftType.string, 1)
    writer.binary(Buffer.from('Scribed'))
    writer.fieldHeader(thriftType.string, 2)
    writer.binary(Buffer.from(`${Date.now()}:${Buffer.from(fields).toString('base64')}`))
    writer.stop()
  })
  return Buffer.from(encodeFrame(message))
}
