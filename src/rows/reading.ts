import type { Rows } from './row.ts'

/** A place from which a file can be read on: row `row` is the first one found from byte `offset` of the stored file. */
export type Mark = { readonly row: number; readonly offset: number }

/** Some rows in their order: handed on together, because a promise for each would cost more than the row. */
export type RowBatch = {
  /** Good until the next batch is asked for. */
  readonly rows: Rows
  /** Number of the first one within the file, from 0. */
  readonly first: number
  /** The last place at or before the end of this batch from which reading can go on; absent where there is none. */
  readonly mark?: Mark | undefined
}

/** A file opened as rows. */
export type Reading = {
  /** How it is read, for people and for `X-Row-Serializer`: `text`, `smile`, `sequencefile (ThriftEnvelope)` … */
  readonly serializer: string
  /** Codec around the file: `none`, `gzip` … */
  readonly codec: string
  /** Column names where they are known before the first row (registrar, CSV header, Avro schema). */
  readonly columns?: readonly string[] | undefined
  /**
   * The rows; to be taken once. Leaving the loop closes everything upstream. Damage throws a `FormatError` that says
   * what and where, after the rows before it were handed out; a broken connection throws a `FileSystemError`.
   */
  readonly batches: AsyncIterable<RowBatch>
}
