import type { FileSystem } from '../filesystem/filesystem.ts'
import { findStatus } from '../filesystem/find-status.ts'
import type { LoadedTable } from './catalog.ts'
import { findParquetFiles } from './find-parquet.ts'
import { readSnapshotFiles } from './snapshot-files.ts'
import { TableError } from './table-error.ts'
import { toPathOrUri } from './table-place.ts'

export type TableFinding = { readonly level: 'problem' | 'note'; readonly file: string; readonly detail: string }

export type TableCheck = {
  readonly manifests: number
  readonly files: number
  readonly rows: number
  readonly bytes: number
  readonly findings: readonly TableFinding[]
}

/** Files that are looked for at a time. */
const atOnce = 16

/**
 * Proves of the current snapshot that each of its files is in one entry, is there, and has its length.
 * Rejects with `FileSystemError` `unavailable` where that is not known now.
 */
export const checkTable = async (
  fileSystem: FileSystem,
  { place, metadata }: LoadedTable,
  onProgress: (done: number, total: number) => void,
): Promise<TableCheck> => {
  const findings: TableFinding[] = []
  const problem = (file: string, detail: string): void => void findings.push({ level: 'problem', file, detail })
  const read = readSnapshotFiles(fileSystem, place)
  const expected = new Map<string, number>()
  let rows = 0
  const manifests = await read.manifests(metadata.current)
  for (const manifest of manifests) {
    try {
      for (const { file } of await read.entries(manifest)) {
        const path = toPathOrUri(place, file.text('file_path'))
        if (expected.has(path)) problem(path, 'it is in the table more than once')
        expected.set(path, file.integer('file_size_in_bytes'))
        if (manifest.hasData) rows += file.integer('record_count')
      }
    } catch (error) {
      if (isUnavailable(error)) throw error
      problem(toPathOrUri(place, manifest.uri), `this manifest cannot be read: ${(error as Error).message}`)
    }
  }
  await compareFiles(fileSystem, expected, problem, onProgress)
  for (const { path } of await findParquetFiles(fileSystem, place.path))
    if (!expected.has(path)) findings.push({ level: 'note', file: path, detail: 'it is not in the current snapshot' })
  const bytes = [...expected.values()].reduce((sum, length) => sum + length, 0)
  return { manifests: manifests.length, files: expected.size, rows, bytes, findings }
}

const compareFiles = async (
  fileSystem: FileSystem,
  expected: ReadonlyMap<string, number>,
  problem: (file: string, detail: string) => void,
  onProgress: (done: number, total: number) => void,
): Promise<void> => {
  const all = [...expected]
  for (let at = 0; at < all.length; at += atOnce) {
    const some = all.slice(at, at + atOnce)
    const found = await Promise.all(
      some.map(async ([path]) => (path.startsWith('/') ? await findStatus(fileSystem, path) : undefined)),
    )
    for (const [i, [path, length]] of some.entries()) {
      const status = found[i]
      if (!path.startsWith('/')) problem(path, 'it is outside of the table, and was not looked for')
      else if (!status) problem(path, 'it is not there')
      else if (status.length !== length) problem(path, `it has ${status.length} bytes, and ${length} in the table`)
    }
    onProgress(Math.min(at + atOnce, all.length), all.length)
  }
}

const isUnavailable = (error: unknown): boolean =>
  !(error instanceof TableError) && error instanceof Error && 'code' in error && error.code === 'unavailable'
