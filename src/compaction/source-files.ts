/** The files whose rows go into others. */
import type { Buffer } from 'node:buffer'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { type ParquetFile, readFooter, toParquetFile } from '../formats/parquet/file.ts'
import type { StructKind } from '../formats/parquet/kind.ts'
import type { FileMetaData } from '../formats/parquet/metadata.ts'
import { readBytesAt } from '../tables/files.ts'
import type { LiveFile } from '../tables/replace/live-files.ts'
import { TableError } from '../tables/table-error.ts'
import { type TablePlace, toTablePath } from '../tables/table-place.ts'
import { kindsOf } from './merge-kinds.ts'

/** A file of this size is read in one go. */
const wholeBytes = 4 * 1024 * 1024

export type SourceFile = { readonly file: ParquetFile; readonly footer: FileMetaData }

/** @throws FormatError; TableError the file has not the rows that the table says. Rejects with `FileSystemError` */
export const openSource = async (
  fileSystem: FileSystem,
  place: TablePlace,
  { uri, bytes, rows }: LiveFile,
): Promise<SourceFile> => {
  const path = toTablePath(place, uri)
  let whole: Promise<Buffer> | undefined
  const file = toParquetFile(bytes, async (offset, length) => {
    if (bytes > wholeBytes) return await readBytesAt(fileSystem, path, offset, length)
    whole ??= readBytesAt(fileSystem, path, 0, bytes)
    return (await whole).subarray(offset, offset + length)
  })
  const footer = await readFooter(file)
  if (footer.rows === rows) return { file, footer }
  throw new TableError(path, `expected the ${rows} rows that the table says, found ${footer.rows}`)
}

/** Files whose columns mean the same, with what they hold where the collector wrote them. */
export type SourceGroup = { readonly files: readonly LiveFile[]; readonly kinds: readonly StructKind[] }

/** Tells files of the collector from those of other programs, whose texts may look like its JSON. */
export const groupSources = async (
  fileSystem: FileSystem,
  place: TablePlace,
  files: readonly LiveFile[],
): Promise<readonly SourceGroup[]> => {
  const [ours, kinds, others]: [LiveFile[], StructKind[], LiveFile[]] = [[], [], []]
  for (const file of files) {
    const found = kindsOf((await openSource(fileSystem, place, file)).footer)
    if (found) {
      ours.push(file)
      kinds.push(found)
    } else others.push(file)
  }
  return [
    { files: ours, kinds },
    { files: others, kinds: [] },
  ].filter(({ files }) => files.length > 1)
}
