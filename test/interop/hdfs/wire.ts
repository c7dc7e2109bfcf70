/** The messages of HDFS' own protocol on a connection, one after another, each as the bytes that it is. */
import { op, PacketHeader } from '../../../src/filesystem/hdfs/data-node/messages.ts'
import { ProtobufReader } from '../../../src/filesystem/hdfs/protobuf/reader.ts'
import { RequestHeader, RpcRequestHeader, RpcResponseHeader } from '../../../src/filesystem/hdfs/rpc/messages.ts'
import type { createIntake } from '../../unit/filesystem/hdfs/fake-nodes.ts'

/** A message: what it is, in words of the protocol. */
export type WireMessage = { readonly name: string; readonly bytes: Buffer }

/** Both directions of one connection, read as they arrive; each ends with an error when its side closes. */
export type WireReaders = {
  readonly toNode: (intake: Intake) => AsyncGenerator<WireMessage>
  readonly toClient: (intake: Intake) => AsyncGenerator<WireMessage>
}

type Intake = Pick<ReturnType<typeof createIntake>, 'read'>

/** Of a connection to a name node, without a token. */
export const nameNodeWire = (): WireReaders => {
  const methods = new Map<number, string>()
  return {
    async *toNode({ read }) {
      yield { name: 'preamble', bytes: await read(7) }
      for (;;) {
        const bytes = await readFrame(read)
        const reader = new ProtobufReader(bytes.subarray(4))
        const { callId } = RpcRequestHeader.read(reader)
        const name = callId < 0 ? 'connection context' : RequestHeader.read(reader).methodName
        methods.set(callId, name)
        yield { name, bytes }
      }
    },
    async *toClient({ read }) {
      for (;;) {
        const bytes = await readFrame(read)
        const { callId } = RpcResponseHeader.read(new ProtobufReader(bytes.subarray(4)))
        yield { name: `answer of ${methods.get(callId)}`, bytes }
      }
    },
  }
}

/** Of a connection to a data node, without a proof. */
export const dataNodeWire = (): WireReaders => {
  /** Those whose answer has not come. */
  const operations: number[] = []
  return {
    async *toNode({ read }) {
      for (;;) {
        const head = await read(3)
        const code = head[2] ?? 0
        operations.push(code)
        yield {
          name: code === op.readBlock ? 'read' : 'write',
          bytes: Buffer.concat([head, await readDelimited(read)]),
        }
        if (code === op.readBlock) yield { name: 'end of the read', bytes: await readDelimited(read) }
        else yield* readPackets(read)
      }
    },
    async *toClient({ read }) {
      for (;;) {
        const bytes = await readDelimited(read)
        const code = operations.shift()
        yield { name: 'answer of the node', bytes }
        if (code === op.readBlock) yield* readPackets(read)
        else for (;;) yield { name: 'ack', bytes: await readDelimited(read) }
      }
    },
  }
}

type Read = Intake['read']

const readFrame = async (read: Read): Promise<Buffer> => {
  const head = await read(4)
  return Buffer.concat([head, await read(head.readUInt32BE())])
}

const readDelimited = async (read: Read): Promise<Buffer> => {
  const head: Buffer[] = []
  let length = 0
  for (let scale = 1; ; scale *= 128) {
    const one = await read(1)
    head.push(one)
    const [byte = 0] = one
    length += (byte & 0x7f) * scale
    if (byte < 0x80) return Buffer.concat([...head, await read(length)])
  }
}

async function* readPackets(read: Read): AsyncGenerator<WireMessage> {
  for (;;) {
    const head = await read(6)
    const header = await read(head.readUInt16BE(4))
    const rest = await read(head.readInt32BE() - 4)
    const { lastPacketInBlock } = PacketHeader.decode(header)
    yield { name: lastPacketInBlock ? 'last packet' : 'packet', bytes: Buffer.concat([head, header, rest]) }
    if (lastPacketInBlock) return
  }
}
