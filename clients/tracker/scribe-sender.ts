// node-only: a TCP connection
import { decodeFields, type ThriftField } from '../../src/formats/thrift/field-list.ts'
import { type FieldEvent, requireEventName, toEventDate } from './event.ts'
import { toError } from './http-options.ts'
import { createScribeConnection, type ScribeAddress } from './scribe-connection.ts'
import { maxReplyBytes, readLogReply, toEntry, toLogCall } from './scribe-frame.ts'
import type { Sender } from './sender.ts'

/** How to send by Scribe. */
export type ScribeOptions = ScribeAddress & {
  /** Longest time until the reply, the connection included. @default 30 000 */
  readonly requestTimeoutMs?: number
}

/**
 * Sends a batch as one `Log` call; TRY_LATER means that it is sent again. There is no idempotency key here: a batch
 * whose reply was lost is sent again, and may count twice. A message holds date and fields, and no granularity.
 */
export const createScribeSender = (
  { requestTimeoutMs = 30_000, ...address }: ScribeOptions = {} as ScribeOptions,
): Sender<FieldEvent> => {
  const connection = createScribeConnection(address, maxReplyBytes)
  let sequence = 0
  return {
    form: 'scribe',
    encode: (event, now) => {
      requireEventName(event?.eventName)
      if (event.granularity !== undefined) throw new TypeError('Cannot send a granularity by Scribe: use POST or GET')
      return toEntry(event.eventName, toEventDate(event, now), event.fields)
    },
    describe: toText,
    send: async (records, { signal }) => {
      const within = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)])
      const number = sequence
      sequence = (sequence + 1) % 0x8000_0000
      try {
        const result = readLogReply(await connection.exchange(toLogCall(records, number), within), number)
        if (result === 'ok') return { kind: 'settled', rejected: [] }
        return { kind: 'retry', error: new Error('Scribe: TRY_LATER') }
      } catch (thrown) {
        // Whatever comes next on this connection may be the answer to something else.
        connection.close()
        return { kind: 'retry', error: toError(thrown, `Cannot log ${records.length} events`) }
      }
    },
    close: () => connection.close(),
  }
}

const toText = (record: Uint8Array): { category: string; message: string } => {
  const [category = '', message = ''] = decodeFields(record).map(toFieldText)
  return { category, message }
}

const toFieldText = ({ value }: ThriftField): string =>
  value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
