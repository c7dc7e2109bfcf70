import type { Dialect } from './csv/csv-dialect.ts'
import type { ParquetSummary } from './parquet/summary.ts'
import type { Projection } from './projection.ts'
import type { Rows } from './row.ts'
import type { Encoding } from './text/encoding.ts'
import type { Where } from './where/where.ts'

/** A place from which a file can be read on: row `row` is the first one found from byte `offset` of the stored file. */
export type Mark = { readonly row: number; readonly offset: number }

/** Some rows in their order: handed on together, because a promise for each would cost more than the row. */
export type RowBatch = {
  /** Good until the next batch is asked for. */
  readonly rows: Rows
  /** Number of the first one within the file, from 0. */
  readonly first: number
  /** The last place at or before the end of this batch where reading can resume; absent if there is no such place. */
  readonly mark?: Mark | undefined
}

/** What a caller wants of a file: the reader may leave out the rest, but need not. */
export type Wanted = {
  /** Names of columns; absent for all. */
  readonly columns?: readonly string[] | undefined
  /** At most this many, if no names are given. */
  readonly mostColumns?: number
  /** Only rows that match: a format may leave out those that it knows not to, and has to give the columns it looks at. */
  readonly where?: Where | undefined
  /** How the file is one of a table: a format that reads files of tables gives their columns, and no other reads it. */
  readonly projection?: Projection | undefined
  /** Rows, counted from 0, the last one included. */
  readonly first?: number
  readonly last?: number
}

/** A file opened as rows. */
export type Reading = {
  /** How it is read, for people and for `X-Row-Serializer`: `text`, `smile`, `sequencefile (ThriftEnvelope)` … */
  readonly serializer: string
  /** Codec around the file: `none`, `gzip` … */
  readonly codec: string
  /** Column names where they are known before the first row (registrar, CSV header, Avro schema). */
  readonly columns?: readonly string[] | undefined
  /** Whether rows may have more values than these columns, in numbered ones. @default false */
  readonly hasNumberedRest?: boolean
  /** Whether no row has a column beside these: the file's schema says so. @default false */
  readonly hasAllColumns?: boolean
  /** How a table of text is read. */
  readonly dialect?: Dialect
  /** How text is encoded, where it is text; of one that begins as ASCII it may change while rows are read. */
  readonly encoding?: Encoding
  /** Bytes, or values where those are more, that the file says it unfolds into; absent where it does not say. */
  readonly unfolded?: number
  /** What the footer says, of a Parquet file. */
  readonly parquet?: ParquetSummary
  /**
   * The rows; to be taken once. If rows before the wanted ones were skipped, the first batch has a later number, and
   * may be empty. Leaving the loop closes everything upstream. Damage throws a `FormatError` that says what and where,
   * after the rows before it were handed out; a broken connection throws a `FileSystemError`.
   */
  readonly batches: AsyncIterable<RowBatch>
}
