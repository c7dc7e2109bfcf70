import { encodeMessage, messageType } from '../../src/formats/thrift/message.ts'
import { letters, repeat, toBytes } from './bytes.ts'

/** A Scribe connection's bytes, after which the server may answer and must end the connection or continue. */
export type ScribeBomb = { readonly name: string; readonly bytes: () => Uint8Array }

/** One row per bomb: lengths and counts of what is not there, depth, another protocol. */
export const scribeBombs: readonly ScribeBomb[] = [
  { name: 'a frame of 2 GB', bytes: () => Buffer.concat([toBytes(0x7fffffff), letters(1)]) },
  { name: 'a frame of a negative length', bytes: () => Buffer.concat([toBytes(0xf0000000), letters(1)]) },
  { name: 'a list of 2 billion entries', bytes: () => frame(Buffer.from('0f00010c7fffffff', 'hex')) },
  { name: 'a list of 2 billion without a frame', bytes: () => logCall(Buffer.from('0f00010c7fffffff', 'hex')) },
  { name: 'a string of 2 GB', bytes: () => frame(Buffer.from('0f00010c000000010b00017fffffff', 'hex')) },
  {
    name: 'a method name of 2 GB',
    bytes: () => Buffer.concat([toBytes(100), Buffer.from('800100017fffffff', 'hex'), letters(1)]),
  },
  { name: '100 000 levels', bytes: () => frame(repeat(Buffer.from('0c0005', 'hex'), 100_000)) },
  { name: 'HTTP', bytes: () => Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n') },
]

/** A call of `Log` with these bytes for its arguments. */
const logCall = (args: Uint8Array): Buffer => {
  const message = encodeMessage({ name: 'Log', type: messageType.call, sequence: 1 }, () => {})
  return Buffer.concat([message.subarray(0, -1), args])
}

const frame = (args: Uint8Array): Buffer => {
  const message = logCall(args)
  return Buffer.concat([toBytes(message.length), message])
}
