// node-only: runs in a worker thread
/** Decodes Parquet away from everything else: what a hostile file can take is this thread. */
import { parentPort } from 'node:worker_threads'
import {
  type AsyncBuffer,
  cachedAsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet'
import { LimitError } from '../errors.ts'
import type { BudgetLimits } from '../formats/budget.ts'
import { decodeRows, type GroupRows, parsers } from './parquet-decode.ts'
import { cutRows } from './parquet-parts.ts'
import { keepBounds } from './parquet-prune.ts'
import { type ParquetSummary, toParquetSummary } from './parquet-summary.ts'

/** What is wanted of a file of `size` bytes; `forget` ends a file. */
export type ParquetTask =
  /** With the bounds of these columns. */
  | { readonly kind: 'metadata'; readonly size: number; readonly bounded: readonly string[] }
  | {
      readonly kind: 'rows'
      readonly size: number
      /** Of this row group alone. */
      readonly metadata: FileMetaData
      readonly rows: GroupRows
      readonly columns: readonly string[]
      /** Of one row. */
      readonly limits: BudgetLimits
    }
  /** The next part of the rows that were asked for. */
  | { readonly kind: 'more' }
  | { readonly kind: 'forget' }

/** Bytes that were asked for; undefined where reading them failed. */
export type ParquetBytes = { readonly id: number; readonly bytes: ArrayBuffer | undefined }

export type ParquetReply =
  /** The thread has started. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly id: number; readonly start: number; readonly end: number }
  /** What reading rows takes of the metadata; the columns are elements of its schema, and not copies. */
  | {
      readonly kind: 'metadata'
      readonly metadata: FileMetaData
      readonly columns: readonly SchemaElement[]
      readonly summary: ParquetSummary
    }
  /** Some rows; `isLast` when those that were asked for end here. */
  | { readonly kind: 'rows'; readonly rows: readonly (readonly unknown[])[]; readonly isLast: boolean }
  | { readonly kind: 'error'; readonly message: string; readonly isLimit?: boolean }

const waiting = new Map<number, (bytes: ArrayBuffer | undefined) => void>()
let lastId = 0
/** Rows that were decoded and not handed over yet. */
let parts: Iterator<readonly (readonly unknown[])[]> | undefined
let current: { readonly group: number; readonly file: AsyncBuffer } | undefined

const reply = (message: ParquetReply): void => parentPort?.postMessage(message)

const slice = async (start: number, end: number): Promise<ArrayBuffer> => {
  const id = ++lastId
  const { promise, resolve } = Promise.withResolvers<ArrayBuffer | undefined>()
  waiting.set(id, resolve)
  reply({ kind: 'read', id, start, end })
  const bytes = await promise
  if (bytes === undefined) throw new Error('cannot be read')
  return bytes
}

/** Several steps may take the same pages of a row group: they are fetched once, and forgotten with the group. */
const toFile = (group: number, size: number): AsyncBuffer => {
  const file = { byteLength: size, slice: (start: number, end = size) => slice(start < 0 ? size + start : start, end) }
  if (current?.group !== group) current = { group, file: cachedAsyncBuffer(file, { minSize: 0 }) }
  return current.file
}

const run = async (task: Exclude<ParquetTask, { kind: 'forget' }>): Promise<ParquetReply> => {
  if (task.kind === 'more') return takePart()
  if (task.kind === 'metadata') {
    const file = toFile(-1, task.size)
    const metadata = await parquetMetadataAsync(file, { parsers: metadataParsers, initialFetchSize: footerBytes })
    const columns = parquetSchema(metadata).children.map(({ element }) => element)
    const summary = toParquetSummary(metadata, columns.length)
    leaveOut(metadata, task.bounded)
    return { kind: 'metadata', metadata, columns, summary }
  }
  const { metadata, rows, columns, size, limits } = task
  parts = cutRows(await decodeRows(toFile(rows.group, size), metadata, rows, columns), rows.start, limits)
  return takePart()
}

/**
 * Takes out what reading rows does not need: to hand over the metadata of very many column chunks would take longer
 * than all else.
 */
const leaveOut = (metadata: FileMetaData, bounded: readonly string[]): void => {
  delete metadata.key_value_metadata
  for (const chunk of metadata.row_groups.flatMap(({ columns }) => columns)) {
    delete chunk.column_index_offset
    delete chunk.column_index_length
    delete chunk.crypto_metadata
    delete chunk.encrypted_column_metadata
    const { meta_data: meta } = chunk
    if (meta === undefined) continue
    meta.encodings = []
    if (meta.statistics && bounded.includes(meta.path_in_schema[0] ?? '')) meta.statistics = keepBounds(meta.statistics)
    else delete meta.statistics
    delete meta.size_statistics
    delete meta.geospatial_statistics
    delete meta.encoding_stats
    delete meta.key_value_metadata
    delete meta.bloom_filter_offset
    delete meta.bloom_filter_length
    delete meta.index_page_offset
  }
}

/** Bytes at the end of a file that are read for its footer; the rest of a longer one is asked for then. */
const footerBytes = 128 * 1024

/** Bounds are bytes: which of them are text, and what was cut, is for whoever shows them. */
const metadataParsers = { ...parsers, stringFromBytes: (bytes: Uint8Array) => bytes }

const takePart = (): ParquetReply => {
  const next = parts?.next()
  return { kind: 'rows', rows: next?.value ?? [], isLast: next?.done !== false }
}

parentPort?.on('message', (message: ParquetTask | ParquetBytes) => {
  if ('id' in message) {
    waiting.get(message.id)?.(message.bytes)
    waiting.delete(message.id)
    return
  }
  if (message.kind === 'forget') {
    current = undefined
    parts = undefined
    return
  }
  run(message).then(reply, (error: unknown) =>
    reply({
      kind: 'error',
      message: error instanceof Error ? error.message : 'damaged',
      isLimit: error instanceof LimitError,
    }),
  )
})

reply({ kind: 'ready' })
