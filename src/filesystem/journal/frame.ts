/**
 * An object of a journal (`journaled.ts`):
 *
 *     "SLUICE1\n", length of the header (10 digits), CRC-32 of the header (10 digits), "\n"
 *     the header   JSON: a claim, or a group of changes
 *     bytes        what the changes of a group append, in their order
 *
 * All claims have the same length, and no group has it. So a claim is never taken for a group that was sent, whatever the
 * checksums are, and a listing shows which objects are claims.
 */
import { crc32 } from 'node:zlib'
import { isRecord } from '../../is-record.ts'
import { FileSystemError } from '../filesystem.ts'

/** What is done to a file of a log. */
export type JournalChange =
  | { readonly do: 'create'; readonly file: number; readonly name: string }
  | { readonly do: 'append'; readonly file: number; readonly length: number }
  | { readonly do: 'rename'; readonly from: string; readonly to: string }
  | { readonly do: 'delete'; readonly name: string }

/** Bytes of a file: the number of the object that has them, and where they begin in it. */
export type Extent = readonly [number: number, offset: number, length: number]

/** All files of a log at one moment. */
export type FilesImage = {
  /** The number that the next file gets. */
  readonly next: number
  readonly files: readonly { readonly file: number; readonly name: string; readonly extents: readonly Extent[] }[]
}

type Written = {
  /** The collector that has the log. */
  readonly keeper: string
  /** Of the writer. */
  readonly session: string
  /** The number of the object that a reader begins with. */
  readonly since: number
}

/** The start of a session, which ends the one before it. `isEnd`: the log has ended, and has no files. */
export type JournalClaim = Written & { readonly kind: 'claim'; readonly isEnd: boolean }

/** Changes of files, in their order. With `image` it is a checkpoint: the result of all changes so far. */
export type ChangeGroup = Written & {
  readonly kind: 'group'
  readonly changes: readonly JournalChange[]
  readonly image?: FilesImage | undefined
}

export type JournalEntry = JournalClaim | ChangeGroup

const magic = 'SLUICE1\n'
const prefixBytes = magic.length + 21

/** Bytes of a claim. */
export const claimBytes = 512

const digits = (value: number): string => String(value).padStart(10, '0')

const encode = (header: string, payload: readonly Uint8Array[]): Buffer<ArrayBuffer> => {
  const bytes = Buffer.from(header)
  return Buffer.concat([Buffer.from(`${magic}${digits(bytes.length)}${digits(crc32(bytes))}\n`), bytes, ...payload])
}

export const encodeClaim = (claim: JournalClaim): Buffer<ArrayBuffer> => {
  const header = JSON.stringify(claim)
  const bytes = encode(header.padEnd(claimBytes - prefixBytes), [])
  if (bytes.length !== claimBytes) throw new RangeError(`A claim has more than ${claimBytes} bytes: ${header}`)
  return bytes
}

/** @returns the object, and where its payload begins */
export const encodeGroup = (
  group: ChangeGroup,
  payload: readonly Uint8Array[],
): { readonly bytes: Buffer<ArrayBuffer>; readonly start: number } => {
  const header = JSON.stringify(group)
  const bytes = encode(header, payload)
  if (bytes.length !== claimBytes) return { bytes, start: prefixBytes + Buffer.byteLength(header) }
  return { bytes: encode(`${header} `, payload), start: prefixBytes + Buffer.byteLength(header) + 1 }
}

/** The header of an object, and where its payload begins. */
export type DecodedEntry = { readonly entry: JournalEntry; readonly start: number }

/**
 * @param bytes the first ones of an object
 * @returns how many of them are needed, where these are too few
 * @throws FileSystemError `unavailable`: it is damaged, or something else
 */
export const decodeEntry = (bytes: Uint8Array, path: string): DecodedEntry | number => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (text.length < prefixBytes) throw damaged(path, `it has ${text.length} bytes`)
  const prefix = /^SLUICE1\n(\d{10})(\d{10})\n$/.exec(text.toString('latin1', 0, prefixBytes))
  if (!prefix) throw damaged(path, 'it begins with something else')
  const start = prefixBytes + Number(prefix[1])
  if (text.length < start) return start
  const header = text.subarray(prefixBytes, start)
  if (crc32(header) !== Number(prefix[2])) throw damaged(path, 'its checksum is another one')
  return { entry: parseEntry(header.toString(), path), start }
}

export const damaged = (path: string, reason: string): FileSystemError =>
  new FileSystemError('unavailable', path, `Cannot read "${path}" as a part of a log: ${reason}`)

const parseEntry = (text: string, path: string): JournalEntry => {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value)) throw damaged(path, 'its header is not an object')
  const { kind, keeper, session, since, isEnd, changes, image } = value
  if (typeof keeper !== 'string' || typeof session !== 'string' || typeof since !== 'number')
    throw damaged(path, 'its header does not say who wrote it')
  const written = { keeper, session, since }
  if (kind === 'claim' && typeof isEnd === 'boolean') return { kind, ...written, isEnd }
  if (kind !== 'group' || !Array.isArray(changes)) throw damaged(path, 'its header is of an unknown kind')
  return {
    kind,
    ...written,
    changes: changes.map(change => parseChange(change, path)),
    ...(image === undefined ? {} : { image: parseImage(image, path) }),
  }
}

const parseChange = (value: unknown, path: string): JournalChange => {
  if (isRecord(value)) {
    const { file, name, length, from, to } = value
    if (value['do'] === 'create' && typeof file === 'number' && typeof name === 'string')
      return { do: 'create', file, name }
    if (value['do'] === 'append' && typeof file === 'number' && typeof length === 'number')
      return { do: 'append', file, length }
    if (value['do'] === 'rename' && typeof from === 'string' && typeof to === 'string')
      return { do: 'rename', from, to }
    if (value['do'] === 'delete' && typeof name === 'string') return { do: 'delete', name }
  }
  throw damaged(path, 'a change in it is unknown')
}

const parseImage = (value: unknown, path: string): FilesImage => {
  const { next, files } = isRecord(value) ? value : {}
  if (typeof next !== 'number' || !Array.isArray(files)) throw damaged(path, 'its list of files is invalid')
  return { next, files: files.map((file: unknown) => parseFile(file, path)) }
}

const parseFile = (value: unknown, path: string): FilesImage['files'][number] => {
  const { file, name, extents } = isRecord(value) ? value : {}
  if (typeof file !== 'number' || typeof name !== 'string' || !Array.isArray(extents))
    throw damaged(path, 'a file in it is invalid')
  return { file, name, extents: extents.map((extent: unknown) => parseExtent(extent, path)) }
}

const parseExtent = (value: unknown, path: string): Extent => {
  const [number, offset, length]: readonly unknown[] = Array.isArray(value) ? value : []
  if (typeof number === 'number' && typeof offset === 'number' && typeof length === 'number')
    return [number, offset, length]
  throw damaged(path, 'an extent in it is invalid')
}
