import { Buffer } from 'node:buffer'
import type { Disk } from '../../disk/disk.ts'
import type { FileSystem } from '../../filesystem/filesystem.ts'
import { type ParquetFile, readFooter, toParquetFile } from '../../formats/parquet/file.ts'
import { tableKey } from '../../formats/parquet/write/field-ids.ts'
import { type DataFile, describeFile } from '../../tables/data-file.ts'
import type { TableMetadata } from '../../tables/metadata.ts'
import type { BucketFile } from '../files/bucket-file.ts'
import { measure } from '../files/measure.ts'
import { localPath } from '../files/spool-paths.ts'
import { targetPath } from '../files/target-path.ts'
import { dateColumn } from './known-table.ts'

export type DescribeSealedOptions = {
  readonly disk: Disk
  readonly fileSystem: Pick<FileSystem, 'open'>
}

/** What a manifest says of a file, and the table that it was made for. */
export type DescribedFile = { readonly data: DataFile; readonly madeFor: string | undefined }

/** Reads the footer of a file: of its local copy, where there is a whole one, or of the one at its place. */
export const describeSealed = async (
  { disk, fileSystem }: DescribeSealedOptions,
  file: BucketFile,
  { location, schema }: TableMetadata,
  directory: string,
): Promise<DescribedFile> => {
  const target = targetPath(file)
  const describe = async (parquet: ParquetFile): Promise<DescribedFile> => {
    const uri = `${location}${target.slice(directory.length)}`
    const dateId = schema.fields.find(({ name }) => name === dateColumn)?.id
    const data = await describeFile(parquet, { uri, fields: schema.fields, dateId })
    return { data, madeFor: (await readFooter(parquet)).keyValues.get(tableKey) }
  }
  const local = toParquetFile(file.length, async (offset, length) =>
    (await disk.read(localPath(file.name, 'placed'), offset)).subarray(0, length),
  )
  const remote = toParquetFile(file.length, async (offset, length) => {
    const pieces: Uint8Array[] = []
    for await (const piece of await fileSystem.open(target, { offset, length })) pieces.push(piece)
    return Buffer.concat(pieces)
  })
  return await describe((await isWhole(disk, file)) ? local : remote)
}

/** A copy that was made again since, from its segment, may be another one. */
const isWhole = async (disk: Disk, { name, length, crc }: BucketFile): Promise<boolean> => {
  const found = await measure(disk, localPath(name, 'placed')).catch(() => undefined)
  return found?.length === length && found.crc === crc
}
