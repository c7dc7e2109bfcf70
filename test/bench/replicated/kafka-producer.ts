/**
 * What "put Kafka in front" means at the least: `node:http`, one `JSON.parse`, and one request to Kafka for all bodies
 * that wait, each a message of its own; it is answered when the brokers have it (`acks=all`). Each request goes to the
 * next partition, which costs the brokers less than a part of it to each. It checks nothing, counts nothing and bounds
 * nothing.
 *
 *     node test/bench/replicated/kafka-producer.ts '{"brokers":["127.0.0.1:9092"],"topic":"events"}'
 *
 * prints `{"msg":"producer is ready","server":"http://127.0.0.1:PORT"}`. A failure ends the process.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Admin, ProduceAcks, Producer } from '@platformatic/kafka'

/** Where its messages go. */
export type ProducerArguments = { readonly brokers: readonly string[]; readonly topic: string }

/** One for each broker, which leads it. */
const partitions = 3
const replicas = 3
/** The brokers may have begun to take connections before all of them know each other. */
const attempts = 60
const againMs = 500

const { brokers, topic } = JSON.parse(process.argv[2] ?? '') as ProducerArguments
const client = { clientId: 'bench', bootstrapBrokers: [...brokers] }

type Waiting = { readonly body: Buffer; readonly answer: () => void }

const createTopic = async (): Promise<void> => {
  const admin = new Admin({ ...client, retries: 0 })
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.createTopics({ topics: [topic], partitions, replicas })
      break
    } catch (error) {
      if (attempt === attempts) throw error
      await setTimeout(againMs)
    }
  }
  await admin.close()
}

await createTopic()
const producer = new Producer({ ...client, acks: ProduceAcks.ALL, autocreateTopics: false })

let waiting: Waiting[] = []
let isSending = false
let requests = 0

/** Everything that arrives while one request is under way, and that is there just then, is the next one. */
const send = async (): Promise<void> => {
  isSending = true
  while (waiting.length > 0) {
    const group = waiting
    waiting = []
    const partition = requests++ % partitions
    await producer.send({ messages: group.map(({ body }) => ({ topic, partition, value: body })) })
    for (const { answer } of group) answer()
    await setImmediate()
  }
  isSending = false
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    JSON.parse(body.toString())
    waiting.push({ body, answer: () => void response.writeHead(202, { 'Content-Length': 0 }).end() })
    if (!isSending) void send()
  })
})

server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
process.stdout.write(`${JSON.stringify({ msg: 'producer is ready', server: `http://127.0.0.1:${port}` })}\n`)
