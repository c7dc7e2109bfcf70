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
import { decodeRows } from './parquet-decode.ts'
import { cutRows } from './parquet-parts.ts'

/** What is wanted of a file of `size` bytes. All rows of one row group have the same `group`; `forget` ends a file. */
export type ParquetTask =
  | { readonly kind: 'metadata'; readonly size: number }
  | {
      readonly kind: 'rows'
      readonly size: number
      readonly metadata: FileMetaData
      readonly group: number
      readonly start: number
      readonly end: number
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
  /** The columns are elements of the metadata's schema, and not copies. */
  | { readonly kind: 'metadata'; readonly metadata: FileMetaData; readonly columns: readonly SchemaElement[] }
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
    const metadata = await parquetMetadataAsync(toFile(-1, task.size))
    return { kind: 'metadata', metadata, columns: parquetSchema(metadata).children.map(({ element }) => element) }
  }
  const { metadata, group, start, end, size, limits } = task
  parts = cutRows(await decodeRows(toFile(group, size), metadata, start, end), start, limits)
  return takePart()
}

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
