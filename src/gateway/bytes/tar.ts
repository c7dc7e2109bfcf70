/**
 * A tar archive as of POSIX.1-2001 (pax):
 *
 *     entry    header (512 bytes) content, padded with zeros to a multiple of 512
 *     archive  entry* zeros (1024 bytes)
 *
 *     header   0 name 100 | 100 mode 8 | 108 uid 8 | 116 gid 8 | 124 size 12 | 136 mtime 12 | 148 checksum 8
 *              156 type 1 ('0' file, '5' directory, 'x' pax) | 157 link 100 | 257 "ustar\0" "00"
 *              265 owner 32 | 297 group 32 | 329 device 16 | 345 prefix 155 | 500 zeros 12
 *
 * Numbers are octal text. The checksum is the sum of the header's bytes with spaces in its own place. A name, owner or
 * size that does not fit there goes into a pax entry before, whose content is lines `<length> <key>=<value>\n`.
 */
import { Buffer } from 'node:buffer'
import type { FileStatus } from '../../filesystem/filesystem.ts'
import type { ArchiveFormat } from './archive.ts'

const blockBytes = 512
const maxOctalSize = 0o77777777777
const encoder = new TextEncoder()

/** Such an archive, as it is written. */
export const tar: ArchiveFormat = {
  extension: 'tar',
  mediaType: 'application/x-tar',
  directory: (name, status) => tarHeader(name, status),
  async *file(name, status, bytes) {
    yield tarHeader(name, status)
    yield* bytes
    yield tarPadding(status.length)
  },
  *end() {
    yield tarEnd()
  },
}

/** The end of an archive. */
export const tarEnd = (): Uint8Array => new Uint8Array(2 * blockBytes)

/** Zeros after a content of `length` bytes. */
export const tarPadding = (length: number): Uint8Array =>
  new Uint8Array((blockBytes - (length % blockBytes)) % blockBytes)

/** The header before the content of a file or directory; `name` is its path within the archive. */
export const tarHeader = (name: string, status: FileStatus): Uint8Array => {
  const entryName = status.isDirectory ? `${name}/` : name
  const { length: size, owner, group } = status
  const records = Object.entries({
    path: fits(entryName, 100) ? undefined : entryName,
    size: size > maxOctalSize ? String(size) : undefined,
    uname: fits(owner, 31) ? undefined : owner,
    gname: fits(group, 31) ? undefined : group,
  }).map(([key, value]) => (value === undefined ? '' : toPaxRecord(key, value)))
  const pax = encoder.encode(records.join(''))
  const main = toHeader(entryName, status, status.isDirectory ? '5' : '0', Math.min(size, maxOctalSize))
  if (pax.length === 0) return main
  return Buffer.concat([toHeader('pax', status, 'x', pax.length), pax, tarPadding(pax.length), main])
}

const toHeader = (name: string, status: FileStatus, type: string, size: number): Uint8Array => {
  const header = new Uint8Array(blockBytes)
  const put = (offset: number, bytes: number, text: string): void =>
    header.set(encoder.encode(text).subarray(0, bytes), offset)
  const seconds = Math.max(0, Math.floor(status.modificationTime / 1000))
  put(0, 100, name)
  put(100, 8, octal(status.permission, 7))
  put(108, 8, octal(0, 7))
  put(116, 8, octal(0, 7))
  put(124, 12, octal(size, 11))
  put(136, 12, octal(Math.min(seconds, maxOctalSize), 11))
  put(148, 8, '        ')
  put(156, 1, type)
  put(257, 8, 'ustar\u000000')
  put(265, 31, status.owner)
  put(297, 31, status.group)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(148, 8, `${sum.toString(8).padStart(6, '0')}\0 `)
  return header
}

const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`

/** The old fields have bytes of no certain encoding, so only ASCII goes there. */
const fits = (text: string, maxBytes: number): boolean => text.length <= maxBytes && /^[\x20-\x7e]*$/.test(text)

/** The length counts the whole record, itself included. */
const toPaxRecord = (key: string, value: string): string => {
  const rest = encoder.encode(` ${key}=${value}\n`).length
  let length = rest + String(rest).length
  if (rest + String(length).length !== length) length = rest + String(length).length
  return `${length} ${key}=${value}\n`
}
