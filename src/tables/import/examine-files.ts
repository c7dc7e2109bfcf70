import type { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { type ParquetFile, readFooter, toParquetFile } from '../../formats/parquet/file.ts'
import type { FileMetaData } from '../../formats/parquet/metadata.ts'
import { toSchema } from '../../formats/parquet/schema.ts'
import { type DataFile, describeFile } from '../data-file.ts'
import { readBytesAt } from '../files.ts'
import type { TableField } from '../schema.ts'
import { toShapes, UnfitColumn } from './column-shape.ts'
import { type Columns, growFields } from './grow-fields.ts'

/** A file that cannot be in the table. */
export type LeftFile = { readonly path: string; readonly reason: string }

export type ExaminedFile = { readonly path: string; readonly file: DataFile }

export type Examined = {
  /** Those with rows. */
  readonly files: readonly ExaminedFile[]
  readonly left: readonly LeftFile[]
  /** The columns of the table with those of the files. */
  readonly columns: Columns
  /** Whether they are others than before. */
  readonly isChanged: boolean
}

export type ExamineOptions = {
  readonly fileSystem: FileSystem
  readonly columns: Columns
  /** How the metadata has a path. */
  readonly uriOf: (path: string) => string
  readonly onProgress: (done: number, total: number) => void
}

/** Footers that are read at a time. */
const atOnce = 16

/**
 * Reads the footers of files, in order, so that the same files make the same columns.
 * Rejects with `FileSystemError` where a file cannot be read now.
 */
export const examineFiles = async (statuses: readonly FileStatus[], options: ExamineOptions): Promise<Examined> => {
  let columns = options.columns
  for (;;) {
    const examined = await examineOnce(statuses, { ...options, columns })
    const { isWider, ...result } = examined
    if (!isWider) return { ...result, isChanged: result.columns !== options.columns }
    // Findings about files before the one that widened a column are made again.
    columns = result.columns
  }
}

const examineOnce = async (
  statuses: readonly FileStatus[],
  { fileSystem, columns: before, uriOf, onProgress }: ExamineOptions,
): Promise<Omit<Examined, 'isChanged'> & { readonly isWider: boolean }> => {
  let columns = before
  let isWider = false
  const files: ExaminedFile[] = []
  const left: LeftFile[] = []
  for (let at = 0; at < statuses.length; at += atOnce) {
    const opened = await Promise.all(statuses.slice(at, at + atOnce).map(status => openFooter(fileSystem, status)))
    for (const { path, ...read } of opened) {
      try {
        if ('failure' in read) throw read.failure
        const grown = growFields(columns, toShapes(toSchema(read.footer.schema).columns))
        checkIds(read.footer, grown.fields)
        if (grown.isChanged) columns = grown
        isWider ||= grown.isWider
        if (read.footer.rows === 0) continue
        const idOf = toIdOf(columns.fields)
        const uri = uriOf(path)
        const { fields } = columns
        files.push({
          path,
          file: await describeFile(read.file, { uri, fields, dateId: undefined, idOf }),
        })
      } catch (error) {
        if (!(error instanceof FormatError || error instanceof UnfitColumn)) throw error
        left.push({ path, reason: error.message })
      }
    }
    onProgress(Math.min(at + atOnce, statuses.length), statuses.length)
  }
  return { files, left, columns, isWider }
}

type Opened = { readonly path: string } & (
  | { readonly file: ParquetFile; readonly footer: FileMetaData }
  | { readonly failure: Error }
)

/** What was read of the file is kept with it. */
const openFooter = async (fileSystem: FileSystem, { path, length }: FileStatus): Promise<Opened> => {
  const kept = new Map<string, Promise<Buffer>>()
  const file = toParquetFile(length, (offset, size) => {
    const key = `${offset} ${size}`
    const reading = kept.get(key) ?? readBytesAt(fileSystem, path, offset, size)
    kept.set(key, reading)
    return reading
  })
  try {
    return { path, file, footer: await readFooter(file) }
  } catch (failure) {
    if (failure instanceof FormatError) return { path, failure }
    // Removed since it was listed, as retention does.
    if (failure instanceof FileSystemError && failure.code === 'not-found')
      return { path, failure: new FormatError('parquet', 0, failure.message) }
    throw failure
  }
}

/** Readers go by ids, where a file has them: those of another table mean other columns. */
const checkIds = ({ schema, groups }: FileMetaData, fields: readonly TableField[]): void => {
  if (schema.every(({ fieldId }) => fieldId === undefined)) return
  const idOf = toIdOf(fields)
  const { leaves } = toSchema(schema)
  const chunks = groups[0]?.chunks() ?? []
  for (const { index, element, maxRepetition } of leaves) {
    const path = chunks[index]?.meta?.path ?? [element.name]
    if (maxRepetition === 0 && element.fieldId !== idOf(path))
      throw new UnfitColumn(
        `the column ${path.join('.')} has the id ${element.fieldId ?? 'none'}, which is one of another table`,
      )
  }
}

/** The ids of columns, and of members of structs, by their paths in a file. */
const toIdOf = (fields: readonly TableField[]): ((path: readonly string[]) => number | undefined) => {
  const ids = new Map<string, number>()
  const add = (members: readonly TableField[], before: readonly string[]): void => {
    for (const { id, name, type } of members) {
      const path = [...before, name]
      ids.set(JSON.stringify(path), id)
      if (typeof type !== 'string' && type.kind === 'struct') add(type.fields, path)
    }
  }
  add(fields, [])
  return path => ids.get(JSON.stringify(path))
}
