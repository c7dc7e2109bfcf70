// node-only: zlib
import { gzipSync } from 'node:zlib'
import { parseJson, stringifyJson } from '../../src/formats/json.ts'
import { readSmile } from '../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../src/formats/smile/writer.ts'
import { type PayloadEvent, toEnvelope } from './event.ts'
import { readAnswer, toOutcome } from './http-answer.ts'
import { createRequest, type HttpOptions, toError } from './http-options.ts'
import type { Sender } from './sender.ts'

/** How to POST. */
export type PostOptions = HttpOptions & {
  /** @default smile, which is shorter and exact in all numbers */
  readonly format?: 'json' | 'smile'
  /** Whether bodies are compressed with gzip. @default true */
  readonly compress?: boolean
}

/** Smaller bodies gain nothing. */
const minCompressBytes = 1_024

/**
 * Sends batches by `POST /rest/1.0/event`, with an idempotency key: a batch counts once however often it is sent.
 * A record is one envelope; as JSON a body is an array of them, as Smile one document after another.
 */
export const createPostSender = (options: PostOptions): Sender<PayloadEvent> => {
  const request = createRequest(options)
  const { format = 'smile', compress = true } = options
  const { contentType, encode, decode, join } = forms[format]
  return {
    form: format,
    encode: (event, now) => encode(toEnvelope(event, now)),
    describe: decode,
    send: async (records, { key, signal }) => {
      const body = join(records)
      const isCompressed = compress && body.length >= minCompressBytes
      const headers = {
        'content-type': contentType,
        'idempotency-key': key,
        ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      }
      try {
        const sent = new Uint8Array(isCompressed ? gzipSync(body) : body)
        const response = await request('/rest/1.0/event', { method: 'POST', headers, body: sent, signal })
        return toOutcome(await readAnswer(response, Date.now()))
      } catch (thrown) {
        return { kind: 'retry', error: toError(thrown, `Cannot POST ${records.length} events`) }
      }
    },
    close: () => {},
  }
}

const utf8 = new TextEncoder()

const forms = {
  json: {
    contentType: 'application/json',
    encode: (value: ReturnType<typeof toEnvelope>) => utf8.encode(stringifyJson(value)),
    decode: (record: Uint8Array) => parseJson(new TextDecoder().decode(record)),
    join: (records: readonly Uint8Array[]) => {
      const parts = records.flatMap((record, index) => [index === 0 ? '[' : ',', record])
      return Buffer.concat([...parts, ']'].map(part => (typeof part === 'string' ? Buffer.from(part) : part)))
    },
  },
  smile: {
    contentType: 'application/json+smile',
    encode: (value: ReturnType<typeof toEnvelope>) => {
      const writer = createSmileWriter()
      writer.write(value)
      return writer.take()
    },
    decode: (record: Uint8Array) => readSmile(record).next().value,
    join: (records: readonly Uint8Array[]) => Buffer.concat(records),
  },
}
