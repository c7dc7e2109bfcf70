import { crc32 } from 'node:zlib'
import type { Disk } from '../../disk/disk.ts'
import type { BucketFile } from './bucket-file.ts'

/** Length and checksum of a file as it is on disk, to compare with what the ledger says of it. */
export const measure = async (disk: Disk, path: string): Promise<Pick<BucketFile, 'length' | 'crc'>> => {
  let length = 0
  let crc = 0
  for await (const piece of disk.stream(path)) {
    length += piece.length
    crc = crc32(piece, crc)
  }
  return { length, crc }
}
