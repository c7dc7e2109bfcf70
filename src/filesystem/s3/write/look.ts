import { crc32 } from 'node:zlib'
import { hasCode, refusal } from '../../cluster/steps.ts'
import type { FileSystem } from '../../filesystem.ts'
import type { S3Client } from '../client.ts'
import { headObject } from '../objects.ts'

/** A file that was sent. */
export type SentFile = {
  readonly path: string
  /** Bytes. */
  readonly length: number
  /** CRC-32; where it is absent only the length counts. */
  readonly crc?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Whether the object in the place of a file is that file. It is read where the store keeps no checksum of it. */
export const lookAtPlace = async (
  client: S3Client,
  open: FileSystem['open'],
  { path, length, crc, signal }: SentFile,
): Promise<'ours' | 'foreign' | 'none'> => {
  const found = await headObject(client, path, 'look at', signal).catch((cause: unknown) => {
    // A refusal of this look is not the store's word about what was sent.
    throw hasCode(cause, 'unavailable') ? cause : refusal('unavailable', path, 'look at', 'nothing can be seen', cause)
  })
  if (!found) return 'none'
  if (found.length !== length) return 'foreign'
  if (crc === undefined) return 'ours'
  const there = found.crc ?? (await readCrc(open, path, signal))
  return there === crc ? 'ours' : 'foreign'
}

const readCrc = async (open: FileSystem['open'], path: string, signal: AbortSignal | undefined): Promise<number> => {
  let read = 0
  for await (const chunk of await open(path, { ...(signal && { signal }) })) read = crc32(chunk, read)
  return read
}
