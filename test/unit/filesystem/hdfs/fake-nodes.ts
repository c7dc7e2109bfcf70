/** A name node and data nodes that do what a test says: for what real ones cannot be made to show. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { delimited } from '../../../../src/filesystem/hdfs/protobuf/message.ts'
import { ProtobufReader } from '../../../../src/filesystem/hdfs/protobuf/reader.ts'
import {
  RequestHeader,
  RpcRequestHeader,
  RpcResponseHeader,
  rpcStatus,
} from '../../../../src/filesystem/hdfs/rpc/messages.ts'

/** A server at a free port, gone when the test is. */
export const listen = async (
  onSocket: (socket: Socket) => void,
): Promise<{ host: string; port: number; server: Server }> => {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return { host: '127.0.0.1', port: typeof address === 'object' ? (address?.port ?? 0) : 0, server }
}

/** Reads what arrives by exact numbers of bytes. */
export const createIntake = (socket: Socket) => {
  let kept = Buffer.alloc(0)
  let wake = (): void => {}
  let isOver = false
  socket.on('data', bytes => {
    kept = Buffer.concat([kept, bytes])
    wake()
  })
  socket.on('close', () => {
    isOver = true
    wake()
  })
  const read = async (length: number): Promise<Buffer> => {
    while (kept.length < length) {
      if (isOver) throw new Error('the client is gone')
      await new Promise<void>(resolve => {
        wake = resolve
      })
    }
    const bytes = kept.subarray(0, length)
    kept = kept.subarray(length)
    return bytes
  }
  const readDelimited = async (): Promise<Buffer> => {
    let length = 0
    for (let scale = 1; ; scale *= 128) {
      const [byte = 0] = await read(1)
      length += (byte & 0x7f) * scale
      if (byte < 0x80) return await read(length)
    }
  }
  return { read, readDelimited }
}

/** A call as a server sees it. */
export type SeenCall = {
  readonly methodName: string
  readonly request: Buffer
  readonly callId: number
  readonly retryCount: number
  readonly clientId: string
  /** Sends bytes as they are. */
  readonly raw: (bytes: Uint8Array) => void
  readonly cut: () => void
}

/** What it is answered with: a response, an exception, or nothing at all. */
export type CallAnswer =
  | Uint8Array
  | { readonly exception: string; readonly message?: string; readonly fatal?: true }
  | undefined

/** An address and the calls that it received. */
export const fakeNameNode = async (answer: (call: SeenCall) => CallAnswer | Promise<CallAnswer>) => {
  const calls: SeenCall[] = []
  let connections = 0
  const { host, port } = await listen(socket => {
    connections++
    void serve(socket).catch(() => socket.destroy())
  })
  const serve = async (socket: Socket): Promise<void> => {
    const { read } = createIntake(socket)
    const preamble = await read(7)
    if (preamble.toString('latin1') !== 'hrpc\t\0\0') throw new Error('no preamble')
    for (;;) {
      const frame = Buffer.from(await read((await read(4)).readUInt32BE()))
      const reader = new ProtobufReader(frame)
      const { callId, retryCount = -1, clientId } = RpcRequestHeader.read(reader)
      if (callId < 0) continue
      const { methodName } = RequestHeader.read(reader)
      const request = reader.delimited()
      const call: SeenCall = {
        methodName,
        request,
        callId,
        retryCount,
        clientId: clientId.toString('hex'),
        raw: bytes => void socket.write(bytes),
        cut: () => void socket.destroy(),
      }
      calls.push(call)
      void Promise.resolve(answer(call)).then(one => {
        if (one !== undefined) socket.write(toAnswer(callId, one))
      })
    }
  }
  return { address: { host, port }, calls, connections: () => connections }
}

/** The frame of an answer. */
export const toAnswer = (callId: number, answer: Exclude<CallAnswer, undefined>): Buffer => {
  const body =
    'exception' in answer
      ? delimited(
          RpcResponseHeader.encode({
            callId,
            status: answer.fatal ? rpcStatus.fatal : rpcStatus.error,
            exceptionClassName: answer.exception,
            errorMsg: `${answer.message ?? 'because'}\n\tat Stack.trace(Java:1)`,
          }),
        )
      : delimited(RpcResponseHeader.encode({ callId, status: rpcStatus.success }), answer)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

/** An operation as a data node sees it. */
export type SeenOperation = {
  readonly code: number
  readonly message: Buffer
  /** Bytes to the client, and from it. */
  readonly send: (...parts: readonly Uint8Array[]) => void
  readonly read: (length: number) => Promise<Buffer>
  readonly readDelimited: () => Promise<Buffer>
  readonly cut: () => void
}

/** An address, the operations that it received, and how many connections. */
export const fakeDataNode = async (serve: (operation: SeenOperation) => Promise<void> | void) => {
  const operations: SeenOperation[] = []
  let connections = 0
  const { host, port } = await listen(socket => {
    connections++
    const intake = createIntake(socket)
    const serveAll = async (): Promise<void> => {
      for (;;) {
        const head = await intake.read(3)
        const operation: SeenOperation = {
          code: head[2] ?? 0,
          message: Buffer.from(await intake.readDelimited()),
          send: (...parts) => void socket.write(Buffer.concat(parts)),
          ...intake,
          cut: () => void socket.destroy(),
        }
        operations.push(operation)
        await serve(operation)
      }
    }
    serveAll().catch(() => socket.destroy())
  })
  return { host, port, operations, connections: () => connections }
}

/** The status of a file that a name node has just made. */
export const newFile = {
  fileType: 2,
  path: Buffer.alloc(0),
  length: 0,
  permission: { perm: 0o644 },
  owner: 'o',
  group: 'g',
  modificationTime: 0,
  accessTime: 0,
  fileId: 42n,
}
