import { connect, type Socket } from 'node:net'
import {
  createScribeServer,
  type ScribeServer,
  type ScribeServerOptions,
} from '../../../../src/collector/scribe/server.ts'
import { encodeFrame, encodeMessage, messageType, openMessage } from '../../../../src/formats/thrift/message.ts'
import { MessageSplitter } from '../../../../src/formats/thrift/message-splitter.ts'
import { thriftType } from '../../../../src/formats/thrift/types.ts'
import { ThriftWriter } from '../../../../src/formats/thrift/writer.ts'
import { silentLogger } from '../../../../src/log/log.ts'
import { createTestCollector, type FakeSpool } from '../fakes.ts'

/** An entry of `Log`; null leaves the field out. */
export type Entry = { readonly category: string | null; readonly message: string | null }

/** A call with a strict header, or an old one. */
export const toCall = (
  name: string,
  writeArgs: (writer: ThriftWriter) => void = () => {},
  { sequence = 0, type = messageType.call, isStrict = true }: Partial<CallStyle> = {},
): Uint8Array => {
  if (isStrict) return encodeMessage({ name, type, sequence }, writeArgs)
  const writer = new ThriftWriter()
  writer.binary(Buffer.from(name))
  writer.byte(type)
  writer.i32(sequence)
  writeArgs(writer)
  writer.stop()
  return writer.bytes()
}

type CallStyle = { readonly sequence: number; readonly type: number; readonly isStrict: boolean }

/** A `Log` call. */
export const toLog = (entries: readonly Entry[], style: Partial<CallStyle> = {}): Uint8Array =>
  toCall(
    'Log',
    writer => {
      writer.fieldHeader(thriftType.list, 1)
      writer.byte(thriftType.struct)
      writer.i32(entries.length)
      for (const { category, message } of entries) {
        writeText(writer, 1, category)
        writeText(writer, 2, message)
        writer.stop()
      }
    },
    style,
  )

/** String arguments from field 1 on. */
export const toArgs =
  (...texts: readonly string[]): ((writer: ThriftWriter) => void) =>
  writer => {
    for (const [i, text] of texts.entries()) writeText(writer, i + 1, text)
  }

const writeText = (writer: ThriftWriter, id: number, text: string | null): void => {
  if (text === null) return
  writer.fieldHeader(thriftType.string, id)
  writer.binary(Buffer.from(text))
}

export const toFrame = (message: Uint8Array): Buffer => Buffer.from(encodeFrame(message))

/** What an answer says: a result, an exception's type and text, or nothing. */
export type Answer = {
  readonly name: string
  readonly sequence: number
  readonly result?: number | bigint | string
  readonly exception?: string
  readonly code?: number
}

export const readAnswer = (bytes: Uint8Array): Answer => {
  const { header, reader } = openMessage(bytes)
  const { name, sequence, type } = header
  const fields = new Map<number, number | bigint | string>()
  for (let field = reader.fieldType(); field !== thriftType.stop; field = reader.fieldType()) {
    const id = reader.i16()
    if (field === thriftType.i32) fields.set(id, reader.i32())
    else if (field === thriftType.i64) fields.set(id, reader.i64())
    else if (field === thriftType.string) fields.set(id, Buffer.from(reader.binary()).toString())
    else reader.skip(field)
  }
  if (type === messageType.exception) {
    return { name, sequence, exception: String(fields.get(1)), code: Number(fields.get(2)) }
  }
  const result = fields.get(0)
  return { name, sequence, ...(result === undefined ? {} : { result }) }
}

/** A Scribe port over a collector that keeps events in memory; time is stopped unless moved. */
export type TestScribe = {
  readonly server: ScribeServer
  readonly spool: FakeSpool
  readonly collector: ReturnType<typeof createTestCollector>['collector']
  readonly clock: { ms: number }
  readonly connect: () => Promise<Client>
  /** Cuts the clients, and closes. */
  readonly close: () => Promise<void>
}

export const openTestScribe = async (
  options: Partial<ScribeServerOptions> = {},
  settings: Parameters<typeof createTestCollector>[0] = {},
  parts: Parameters<typeof createTestCollector>[1] = {},
): Promise<TestScribe> => {
  const { collector, spool } = createTestCollector(settings, parts)
  const clock = { ms: 0 }
  const server = await createScribeServer({
    host: '127.0.0.1',
    port: 0,
    collector,
    callLimits: () => ({ maxEvents: 1_000, maxValues: 100_000 }),
    logger: silentLogger,
    clock: { now: () => 1_580_612_645_006, monotonicMs: () => clock.ms },
    ...options,
    limits: { checkEveryMs: 2, ...options.limits },
  })
  const clients: Client[] = []
  return {
    server,
    spool,
    collector,
    clock,
    connect: async () => {
      const client = await openClient(server.port)
      clients.push(client)
      return client
    },
    close: async () => {
      for (const { socket } of clients) socket.destroy()
      await server.close()
    },
  }
}

/** A connection that reads answers as they arrive. */
export type Client = {
  readonly socket: Socket
  send(bytes: Uint8Array): void
  /** The next answer; undefined when the connection ends before. */
  answer(): Promise<Answer | undefined>
  /** Everything up to the end. */
  rest(): Promise<readonly Answer[]>
  /** The next `length` bytes. */
  bytes(count: number): Promise<Buffer>
}

const openClient = async (port: number): Promise<Client> => {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const splitter = new MessageSplitter(1 << 20)
  const next = async (): Promise<Buffer | undefined> => {
    const { value, done } = await chunks.next().catch(() => ({ value: undefined, done: true }))
    return done ? undefined : value
  }
  const answer = async (): Promise<Answer | undefined> => {
    for (;;) {
      const message = splitter.next()
      if (message) return readAnswer(message.bytes)
      const chunk = await next()
      if (chunk === undefined) return undefined
      splitter.push(chunk)
    }
  }
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return {
    socket,
    send: bytes => void socket.write(bytes),
    answer,
    rest: async () => {
      const all: Answer[] = []
      for (let one = await answer(); one; one = await answer()) all.push(one)
      socket.end()
      return all
    },
    bytes: async count => {
      let all: Buffer = Buffer.alloc(0)
      while (all.length < count) {
        const chunk = await next()
        if (chunk === undefined) break
        all = Buffer.concat([all, chunk])
      }
      return all
    },
  }
}
