import type { Registrar } from '../registrar/registrar.ts'
import type { Row } from '../row.ts'

/** What a row serializer can decide by. */
export type RowContext = {
  /** Path of the file, unescaped. */
  readonly path: string
  /** Last suffix in lower case without the dot, a codec's suffix (`.gz`, `.lzf` …) taken off; may be empty. */
  readonly suffix: string
  /** First bytes of the content, unpacked; at most 4 KiB. Empty for a sequence-file value. */
  readonly head: Uint8Array
  /** Classes of a sequence file's records, if the value is from one. */
  readonly keyClass?: string | undefined
  readonly valueClass?: string | undefined
}

/**
 * Turns content into rows; what `io.row.serializations` loads. `value` is one value of a sequence file (whatever its
 * deserializer made of it), or an `AsyncIterable<Uint8Array>` of the unpacked bytes of any other file.
 */
export type RowSerializer = {
  /** Shown to people, and sent as `X-Row-Serializer`. */
  readonly name: string
  accepts(context: RowContext): boolean
  toRows(registrar: Registrar, value: unknown, context: RowContext): Iterable<Row> | AsyncIterable<Row>
}
