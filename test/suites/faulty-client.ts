/** A thread with a client that fails as libraries do; the name of the topic says how. */
import { EventEmitter } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import type { BrokerConnection, Fate } from '../../src/realtime/brokers/broker.ts'
import { serveClient } from '../../src/realtime/thread/serve-client.ts'

const fault = (): TypeError => new TypeError("Cannot read properties of undefined (reading 'partitionsCount')")

/** Ways to throw an error that cannot be caught. */
const faults: Readonly<Record<string, () => void>> = {
  timer: () => void setTimeout(() => raise()),
  immediate: () => void setImmediate(() => raise()),
  tick: () => process.nextTick(() => raise()),
  promise: () => void Promise.reject(fault()),
  emitter: () => void setImmediate(() => new EventEmitter().emit('error', fault())),
  text: () => void setImmediate(() => raise('a text, and no error')),
  exit: () => process.exit(3),
  heap: () => void setImmediate(() => fillHeap()),
}
const fillHeap = (): never => {
  for (const kept: object[] = []; ; ) kept.push(Array.from({ length: 10_000 }, (_, i) => ({ i })))
}
const raise = (error: unknown = fault()): never => {
  throw error
}

const never = new Promise<readonly Fate[]>(() => {})
const createConnection = (): BrokerConnection => {
  const { promise: lost, resolve } = Promise.withResolvers<string>()
  return {
    lost,
    send: async (topic, messages) => {
      if (topic === 'sync') throw fault()
      if (topic === 'hangs up') {
        // It says so before it says what became of the messages.
        resolve('it hung up')
        await new Promise(done => setImmediate(done))
        return messages.map(() => 'cut')
      }
      const fail = faults[topic]
      if (!fail) return messages.map(() => 'sent')
      fail()
      return never
    },
    close: () => (workerData.topic === 'never closes' ? new Promise(() => {}) : Promise.resolve()),
  }
}
const connect = async (): Promise<BrokerConnection> => {
  if (workerData.topic === 'never connects') return new Promise(() => {})
  if (workerData.topic === 'fails to connect') faults['timer']?.()
  if (workerData.topic === 'fails to connect') return new Promise(() => {})
  return createConnection()
}
if (workerData.topic === 'fails to start') raise()
if (parentPort) serveClient(parentPort, { connect })
