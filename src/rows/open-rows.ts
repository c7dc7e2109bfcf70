import type { FileStatus, FileSystem } from '../filesystem/filesystem.ts'
import type { Mark, Reading } from './reading.ts'
import type { Registrar } from './registrar.ts'
import type { RowSerializer } from './serializer.ts'

/** What a file is to be opened with. */
export type OpenRowsOptions = {
  readonly fileSystem: FileSystem
  readonly status: FileStatus
  readonly registrar: Registrar
  /** Custom serializers, asked before the built-in ones, in order. */
  readonly serializers: readonly RowSerializer[]
  /** Rows undecoded, one column `record`, as `raw=true` of old. @default false */
  readonly raw?: boolean
  /** Reads on from here; a place that is no row start of this file gives a `FormatError` or other rows, never more. */
  readonly from?: Mark | undefined
  readonly signal?: AbortSignal | undefined
}

/** Opens a file as rows: finds out what it is by content, then by suffix. */
export type OpenRows = (options: OpenRowsOptions) => Promise<Reading>
