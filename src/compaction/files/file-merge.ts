import type { FileStatus, FileSystem } from '../../filesystem/filesystem.ts'

/** What merging has to work with. */
export type MergeContext = {
  readonly fileSystem: FileSystem
  /** Where rows wait that have no room in memory while they are sorted. */
  readonly temporaryDirectory: string
  /** Called with bytes that were read: of sources, and of the result. */
  readonly onBytes: (bytes: number) => void
  readonly signal?: AbortSignal
}

/** What was read: how many rows, and a checksum that is the same for the same ones. */
export type MergeTally = { readonly rows: number; readonly checksum: () => string }

/** How files become one that have the same format, codec and whatever a file says once. */
export type FileMerge = {
  /** The pieces of the one file, and what was read of its sources once all are taken. @throws UnfitFile by the pieces */
  readonly write: (
    context: MergeContext,
    files: readonly FileStatus[],
  ) => { readonly pieces: AsyncIterable<Uint8Array>; readonly tally: MergeTally }
  /** Reads the one file. @throws FormatError */
  readonly count: (context: MergeContext, file: FileStatus) => Promise<MergeTally>
}
