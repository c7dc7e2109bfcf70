/**
 * Calls of a name node (Hadoop's RPC, version 9) on their way: behind 7 bytes at the beginning, all that either side sends
 * are frames of a length and so many bytes, with a header that has the call's number.
 */
import { connect, type Socket } from 'node:net'
import { delimited } from '../../../src/filesystem/hdfs/protobuf/message.ts'
import { ProtobufReader } from '../../../src/filesystem/hdfs/protobuf/reader.ts'
import {
  RequestHeader,
  RpcRequestHeader,
  RpcResponseHeader,
  rpcStatus,
} from '../../../src/filesystem/hdfs/rpc/messages.ts'
import type { NodeAddress } from '../../../src/filesystem/hdfs/socket/exact-socket.ts'
import type { NetworkFault } from '../fault-proxy.ts'
import type { ProxyWatch } from './weather.ts'

/** `hrpc`, version, service class, how callers prove who they are. */
const preambleBytes = 7
const lengthBytes = 4
/** A call of an early client is carried out so much later, at most. */
const longestDelayMs = 1_500

const possible: readonly NetworkFault[] = ['standby', 'HTTP 500', 'HTTP 503', 'time-out', 'lost reply', 'late request']

/** Of which operation of WebHDFS a method is a step. */
const stepsOf: Readonly<Record<string, readonly string[]>> = {
  rename: ['RENAME'],
  rename2: ['RENAME'],
  create: ['CREATE'],
  addBlock: ['CREATE'],
  complete: ['CREATE'],
  getFileInfo: ['GETFILESTATUS'],
}

/** What a name node throws where an HTTP answer would have such a status. */
const exceptions: Readonly<Partial<Record<NetworkFault, readonly [className: string, message: string]>>> = {
  standby: ['org.apache.hadoop.ipc.StandbyException', 'Operation category WRITE is not supported in state standby'],
  'HTTP 500': ['java.io.IOException', 'Something went wrong'],
  'HTTP 503': ['org.apache.hadoop.ipc.RetriableException', 'Server is too busy.'],
}

/** Passes the calls of one connection on. */
export const serveCalls = (client: Socket, { host, port }: NodeAddress, watch: ProxyWatch): void => {
  const { weather, random, called, refused } = watch
  const upstream = connect({ host, port, noDelay: true })
  /** Calls whose answers get lost. */
  const lost = new Set<number>()
  /** The one that is carried out when its caller has gone. */
  let late: number | undefined
  client.on('error', () => {}).on('close', () => late ?? upstream.destroy())
  upstream.on('error', () => {}).on('close', () => client.destroy())

  const take = (frame: Buffer): void => {
    const { callId, methodName } = readCall(frame)
    const pass = (): boolean => upstream.write(frame)
    // Who calls is said and proven by calls with negative numbers.
    const fault = methodName === undefined ? 'none' : weather.meet(possible, stepsOf[methodName] ?? [])
    if (methodName !== undefined) called()
    const exception = exceptions[fault]
    if (exception !== undefined) client.write(toRefusal(callId, exception))
    else if (fault === 'time-out') weather.hold(client)
    else if (fault === 'late request') {
      late = callId
      client.destroy()
      setTimeout(pass, random() * longestDelayMs).unref()
    } else {
      if (fault === 'lost reply') lost.add(callId)
      pass()
    }
  }

  const cutCalls = createCutter(preambleBytes, head => void upstream.write(head))
  client.on('data', chunk => {
    for (const frame of cutCalls(chunk)) take(frame)
  })
  const cutAnswers = createCutter(0, () => {})
  upstream.on('data', chunk => {
    for (const frame of cutAnswers(chunk)) {
      const { callId, status } = RpcResponseHeader.read(readerOf(frame))
      if ((callId | 0) < 0 && status !== rpcStatus.success) refused()
      if (lost.has(callId) || callId === late) return void upstream.destroy()
      if (!client.destroyed) client.write(frame)
    }
  })
}

const readerOf = (frame: Buffer): ProtobufReader => new ProtobufReader(frame, lengthBytes)

const readCall = (frame: Buffer): { readonly callId: number; readonly methodName?: string } => {
  const reader = readerOf(frame)
  const { callId } = RpcRequestHeader.read(reader)
  return callId < 0 ? { callId } : { callId, methodName: RequestHeader.read(reader).methodName }
}

const toRefusal = (callId: number, [exceptionClassName, errorMsg]: readonly [string, string]): Buffer => {
  const body = delimited(RpcResponseHeader.encode({ callId, status: rpcStatus.error, exceptionClassName, errorMsg }))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

/** Cuts input into frames, after a head of so many bytes. */
const createCutter = (headBytes: number, onHead: (head: Buffer) => void): ((chunk: Buffer) => readonly Buffer[]) => {
  let rest = Buffer.alloc(0)
  let isHead = headBytes > 0
  return chunk => {
    rest = Buffer.concat([rest, chunk])
    if (isHead && rest.length >= headBytes) {
      isHead = false
      onHead(rest.subarray(0, headBytes))
      rest = rest.subarray(headBytes)
    }
    const frames: Buffer[] = []
    while (!isHead && rest.length >= lengthBytes) {
      const end = lengthBytes + rest.readUInt32BE()
      if (rest.length < end) break
      frames.push(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
    return frames
  }
}
