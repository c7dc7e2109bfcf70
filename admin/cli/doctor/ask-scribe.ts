import { connect } from 'node:net'
import { encodeFrame, encodeMessage, messageType, openMessage } from '../../../src/formats/thrift/message.ts'
import { toLocalHost } from './ask-local.ts'

const timeoutMs = 2_000
const maxAnswerBytes = 10_000

/**
 * The name that a Scribe service of this machine reports (fb303's `getName`). Undefined if another kind of server
 * listens.
 */
export const askScribeName = (host: string, port: number): Promise<string | undefined> =>
  new Promise(done => {
    let answer = Buffer.alloc(0)
    const socket = connect({ host: toLocalHost(host), port, timeout: timeoutMs }, () => void socket.write(getName))
    socket.on('data', chunk => {
      answer = Buffer.concat([answer, chunk])
      const isWhole = answer.length >= 4 && answer.length >= 4 + answer.readUInt32BE(0)
      if (isWhole) done(readName(answer.subarray(4)))
      if (isWhole || answer.length > maxAnswerBytes) socket.destroy()
    })
    socket.once('timeout', () => socket.destroy())
    socket.once('error', () => {})
    socket.once('close', () => done(undefined))
  })

const getName = encodeFrame(encodeMessage({ name: 'getName', type: messageType.call, sequence: 1 }, () => {}))

/** The result of a call is field 0 of the reply. */
const readName = (message: Uint8Array): string | undefined => {
  try {
    const { header, reader } = openMessage(message)
    if (header.type !== messageType.reply) return undefined
    reader.byte()
    reader.i16()
    return Buffer.from(reader.binary()).toString('utf8')
  } catch {
    return undefined
  }
}
