/** The client library of a broker, in a thread of its own: whatever it throws, and wherever, ends this thread and no more. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ClientOptions } from './client-wire.ts'
import { serveClient } from './serve-client.ts'

const options: ClientOptions = workerData
const url = new URL(options.url)
// Only the library that is needed is loaded.
const client =
  url.protocol === 'kafka:'
    ? await (await import('../brokers/kafka.ts')).createKafkaClient({ ...options, url })
    : (await import('../brokers/amqp.ts')).createAmqpClient({ ...options, url })
if (parentPort) serveClient(parentPort, client)
