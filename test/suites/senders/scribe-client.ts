import { createRequire } from 'node:module'
import { encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'
import { toMark } from '../marks.ts'
import { type Sending, typeOf } from './traffic.ts'

const require = createRequire(import.meta.url)

/** As far as it is called here: the package has no types of its own. */
type Connection = { on(event: string, listener: (error?: Error) => void): void; end(): void }
type Client = { Log(entries: readonly unknown[]): Promise<number> }

const thrift: {
  readonly TFramedTransport: unknown
  readonly TBinaryProtocol: unknown
  createConnection(host: string, port: number, options: object): Connection
  createClient(service: unknown, connection: Connection): Client
} = require('thrift')
const service: unknown = require('../../fixtures/scribe/gen-nodejs/scribe.js')
const {
  LogEntry,
}: {
  readonly LogEntry: new (init: { category: string; message: Buffer }) => unknown
} = require('../../fixtures/scribe/gen-nodejs/scribe_types.js')

const callsOfRound = 5
const entriesOfCall = 4

/**
 * Rounds of some calls over one connection each, by Apache Thrift's client: a date with a field list, and plain text.
 * Rejects when the connection breaks or a call is not answered with OK.
 */
export const createScribeClient =
  (port: number, { issue, acknowledge }: Sending): (() => Promise<void>) =>
  async () => {
    const options = { transport: thrift.TFramedTransport, protocol: thrift.TBinaryProtocol }
    const connection = thrift.createConnection('127.0.0.1', port, options)
    // The package never ends a call without an answer when its connection ends.
    const { promise: lost, reject } = Promise.withResolvers<never>()
    lost.catch(() => {})
    connection.on('error', error => reject(error))
    connection.on('close', () => reject(new Error('The connection was closed')))
    try {
      const client = thrift.createClient(service, connection)
      for (let i = 0; i < callsOfRound; i++) {
        const events = Array.from({ length: entriesOfCall }, issue)
        const result = await Promise.race([client.Log(events.map(toEntry)), lost])
        if (result !== 0) throw new Error(`Log was answered ${result}`)
        acknowledge(...events)
      }
    } finally {
      connection.end()
    }
  }

const toEntry = (event: number): unknown => {
  const value = Buffer.from(toMark(event))
  const fields = Buffer.from(encodeFields([{ id: 1, type: thriftType.string, value }])).toString('base64')
  const text = `a line of text, ${toMark(event)}`
  const message = `${Date.now()}:${event % 4 < 2 ? fields : text}`
  return new LogEntry({ category: typeOf(event), message: Buffer.from(message) })
}
