import type { components } from '../../src/contract/types.gen.ts'
import { formatNames } from '../../src/formats/name-list.ts'
import { parseExactJson } from '../generated/exact-json.ts'
import type { Connection } from './connection.ts'
import { GatewayError } from './error.ts'
import { createListingScan, type ListingPart } from './listing-scan.ts'

/** One row, by column; an integer beyond 2^53 is a bigint. */
export type Row = components['schemas']['Row']

/** A file or directory. */
export type Entry = Omit<components['schemas']['Entry'], 'content'>

/** Which rows to read. */
export type ReadOptions<T> = {
  /** First and last row, counted from 0, the last included; over all files together. */
  readonly range?: readonly [first: number, last: number]
  /** Only these columns, in this order; of a Parquet file nothing else is read. @default all */
  readonly columns?: readonly string[]
  /** Only rows of which this is true: `status >= 500 and path ~ "/api"`. @default all */
  readonly where?: string
  /** Rows undecoded, as `{ record }`. @default false */
  readonly raw?: boolean
  /** The files of all directories below. @default false */
  readonly recursive?: boolean
  /** Converts each row, for example the `parse` of a schema. @default the row itself */
  readonly as?: (row: Row) => T
  readonly signal?: AbortSignal
}

/**
 * The rows of a file, or of the files of a directory, while they arrive.
 * @throws GatewayError as the gateway's; `unreadable` after the rows of a file that is damaged; `broken`
 */
export async function* readRows<T>(connection: Connection, path: string, options: ReadOptions<T>): AsyncGenerator<T> {
  const { range, columns, where, raw, recursive, signal, as = (row: Row) => row as T } = options
  const query = {
    path,
    raw,
    recursive,
    range: range === undefined ? undefined : `${range[0]}-${range[1]}`,
    columns: columns === undefined ? undefined : formatNames(columns),
    where,
  }
  for await (const part of readListing(connection, query, signal)) {
    const value = parseExactJson(part.text)
    if (part.kind === 'row') yield as(value as Row)
    else {
      const { path: file, error } = value as Entry
      if (error !== undefined) throw new GatewayError('unreadable', `${file}: ${error}`)
    }
  }
}

/** Names of one page of a listing. */
const pageLimit = 1_000

/** What is in a directory, in the order of names, a thousand at a time; of a file, the file itself. */
export async function* readEntries(connection: Connection, path: string, signal?: AbortSignal): AsyncGenerator<Entry> {
  let startAfter: string | undefined
  for (;;) {
    let count = 0
    const query = { path, content: false, limit: pageLimit, startAfter }
    for await (const { kind, text } of readListing(connection, query, signal)) {
      if (kind !== 'entry') continue
      const { content: _none, ...entry } = parseExactJson(text) as components['schemas']['Entry']
      count++
      startAfter = entry.path.slice(entry.path.lastIndexOf('/') + 1)
      yield entry
    }
    if (count < pageLimit) return
  }
}

/** The rows and entries of a listing as text, while they arrive. @throws GatewayError `broken`, `too-long` */
export async function* readListing(
  connection: Pick<Connection, 'call'>,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
  signal?: AbortSignal,
): AsyncGenerator<ListingPart> {
  const { body } = await connection.call('/rest/1.0/json', query, { headers: { accept: 'application/json' }, signal })
  const scan = createListingScan()
  const decoder = new TextDecoder()
  for await (const chunk of unbroken(body)) yield* scan.push(decoder.decode(chunk, { stream: true }))
  if (!scan.isWhole()) throw new GatewayError('broken', 'The answer ended before its listing did')
}

/** The chunks of a body; the reader who stops early lets the connection go. @throws GatewayError `broken` */
export async function* unbroken(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  let isDone = false
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        isDone = true
        if (cause instanceof GatewayError || (cause instanceof DOMException && cause.name === 'AbortError')) throw cause
        throw new GatewayError('broken', 'The answer broke off', { cause })
      })
      if (done) {
        isDone = true
        return
      }
      yield value
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => {})
  }
}
