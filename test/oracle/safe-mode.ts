/**
 * Safe mode of a real NameNode, entered and left as `hdfs dfsadmin` does it, without a second of Java for each: one call
 * of `ClientProtocol.setSafeMode` in Hadoop's RPC (version 9, SIMPLE, protobuf engine):
 *
 *     "hrpc"  09 version  00 service class  00 no SASL
 *     frame   RpcRequestHeaderProto(callId -3)  IpcConnectionContextProto
 *     frame   RpcRequestHeaderProto(callId 0)   RequestHeaderProto  SetSafeModeRequestProto
 *     answer  RpcResponseHeaderProto  SetSafeModeResponseProto
 *
 * A frame is its length in four bytes and messages, each behind its own length as a varint.
 */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

const protocol = 'org.apache.hadoop.hdfs.protocol.ClientProtocol'
/** `SafeModeActionProto`. */
const actions = { leave: 1, enter: 2 } as const
/** A NameNode that hangs must not hang the run. */
const timeoutMs = 20_000
const maxAnswerBytes = 65_536

/**
 * Has the NameNode enter or leave safe mode.
 * @param url `hdfs://host:port`
 * @throws Error when it cannot be reached or refuses; the message is its own
 */
export const setSafeMode = (url: string, user: string, action: keyof typeof actions): Promise<void> =>
  new Promise((done, fail) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port) })
    let answer = Buffer.alloc(0)
    const end = (error?: Error): void => {
      socket.destroy()
      if (error) fail(new Error(`Cannot ${action} safe mode: ${error.message}`, { cause: error }))
      else done()
    }
    socket.setTimeout(timeoutMs, () => end(new Error('no answer')))
    socket.on('error', end)
    socket.on('close', () => end(new Error('the connection was closed')))
    socket.on('data', chunk => {
      answer = Buffer.concat([answer, chunk])
      if (answer.length > maxAnswerBytes) return end(new Error('the answer is too long'))
      if (answer.length < 4 || answer.length < 4 + answer.readUInt32BE(0)) return
      // RpcResponseHeaderProto: field 2 is the status, 0 for success; field 1, before it, the call's number 0.
      const [, , , status] = answer.subarray(5, 9)
      if (status === 0) end()
      else end(new Error(answer.toString('latin1').replaceAll(/[^ -~]+/g, ' ')))
    })
    socket.write(toCall(user, actions[action]))
  })

const toCall = (user: string, action: number): Buffer => {
  const client = randomBytes(16)
  const context = message(bytesField(2, message(bytesField(1, user))), bytesField(3, protocol))
  const call = message(bytesField(1, 'setSafeMode'), bytesField(2, protocol), numberField(3, 1))
  const request = message(numberField(1, action), numberField(2, 0))
  return Buffer.concat([
    Buffer.from('hrpc\x09\x00\x00', 'latin1'),
    frame(toHeader(client, -3), context),
    frame(toHeader(client, 0), call, request),
  ])
}

/** RpcRequestHeaderProto: protobuf engine, final packet, the call's number, the client, no retry. */
const toHeader = (client: Buffer, callId: number): Buffer =>
  message(
    numberField(1, 2),
    numberField(2, 0),
    numberField(3, zigzag(callId)),
    bytesField(4, client),
    numberField(5, 0),
  )

const frame = (...messages: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(messages.flatMap(one => [varint(one.length), one]))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields)

const numberField = (id: number, value: number): Buffer => Buffer.concat([varint(id << 3), varint(value)])

const bytesField = (id: number, value: string | Buffer): Buffer => {
  const bytes = Buffer.from(value as string)
  return Buffer.concat([varint((id << 3) | 2), varint(bytes.length), bytes])
}

/** `sint32`. */
const zigzag = (value: number): number => (value << 1) ^ (value >> 31)

const varint = (value: number): Buffer => {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
