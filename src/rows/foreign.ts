/**
 * Files that are recognized by their first bytes, or are not text at all, and not read as rows: as text they would be
 * nonsense.
 */
import { isUtf8 } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { isText, sniffEncoding } from './text/encoding.ts'

/** What its errors call it. */
export const foreignFormat = 'file'

const magics: readonly (readonly [magic: string, what: string])[] = [
  ['PARE', 'Parquet file with an encrypted footer, which takes keys that the gateway does not have'],
  ['ORC', 'ORC file'],
  ['\xfd7zXZ\0', 'file compressed with xz'],
  ['LZIP', 'file compressed with lzip'],
  ['\x1f\x9d', 'file compressed with compress (.Z)'],
  ['PK\x03\x04', 'zip archive (as are .xlsx, .docx, .jar)'],
  ['PK\x05\x06', 'zip archive without files'],
  ["7z\xbc\xaf'\x1c", '7z archive'],
  ['Rar!\x1a\x07', 'rar archive'],
  ['%PDF-', 'PDF document'],
  ['\x89PNG\r\n\x1a\n', 'PNG image'],
  ['\xff\xd8\xff', 'JPEG image'],
  ['GIF8', 'GIF image'],
  ['ARROW1\0\0', 'Arrow IPC file (Feather)'],
  ['FEA1', 'Feather file'],
  ['\x89HDF\r\n\x1a\n', 'HDF5 file'],
  ['SQLite format 3\0', 'SQLite database'],
  ['\x7fELF', 'program (ELF)'],
  ['\xca\xfe\xba\xbe', 'Java class'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'Microsoft Office document (.xls, .doc)'],
  ['\xff\xfe\0\0', 'text in UTF-32'],
  ['\0\0\xfe\xff', 'text in UTF-32'],
]

/** Of tar, after the name and attributes of the first file. */
const tarMagic = 'ustar'
const tarOffset = 257

/** Without a magic number: where the name says so and the bytes are not text. */
const suffixes: ReadonlyMap<string, string> = new Map([['br', 'file compressed with brotli']])

/**
 * @param head first bytes, unpacked
 * @param suffix the last one of the name
 * @throws FormatError for a file that is known and not read
 */
export const refuseForeign = (head: Uint8Array, suffix: string): void => {
  const start = String.fromCharCode(...head.subarray(0, 16))
  const what =
    toMagic(start, isText(head) && isUtf8(head)) ??
    (isTar(head) ? 'tar archive' : isText(head) ? undefined : suffixes.get(suffix))
  if (what !== undefined)
    throw new FormatError(
      foreignFormat,
      0,
      `this is ${/^[AEO]/.test(what) ? 'an' : 'a'} ${what}: it is not read as rows; download it instead`,
    )
}

/** A text may begin with letters that are a magic number too. */
const toMagic = (start: string, isText: boolean): string | undefined =>
  magics.find(([magic]) => start.startsWith(magic) && !(isText && /^\w+$/.test(magic)))?.[1]

/**
 * Refuses bytes that would be read as text but are binary.
 * @param head first bytes, decompressed
 * @throws FormatError for bytes of no encoding that is detected
 */
export const refuseBinary = (head: Uint8Array): void => {
  if (isBinary(head))
    throw new FormatError(
      foreignFormat,
      0,
      'this is binary data of an unknown kind: it is not read as rows; download it instead, or read it as text with the parameter "encoding"',
    )
}

/**
 * Compressed, encrypted and packed data has each byte about as often as the others: 6 of 100 are control characters
 * that no text has. A text in UTF-8 may have fields of them, and zero bytes after its end where its file was allocated
 * ahead.
 */
const isBinary = (head: Uint8Array): boolean => {
  if (sniffEncoding(head).startsWith('utf-16')) return false
  const text = head.subarray(0, head.findLastIndex(byte => byte !== 0) + 1)
  const count = text.reduce((sum, byte) => sum + (isForeignControl(byte) ? 1 : 0), 0)
  return count >= 2 && count >= (isUtf8Start(text) ? 0.3 : 0.02) * text.length
}

/** Of the control characters, texts have white space, BEL, BS, SUB, ESC, and separators: ^A to ^C (Hive), FS to US. */
const isForeignControl = (byte: number): boolean =>
  byte === 0 || (byte >= 0x04 && byte <= 0x06) || (byte >= 0x0e && byte <= 0x19) || byte === 0x7f

/** UTF-8 whose last character may be cut: at most three bytes of it are there. */
const isUtf8Start = (head: Uint8Array): boolean =>
  [0, 1, 2, 3].some(cut => isUtf8(head.subarray(0, Math.max(0, head.length - cut))))

const isTar = (head: Uint8Array): boolean =>
  String.fromCharCode(...head.subarray(tarOffset, tarOffset + tarMagic.length)) === tarMagic
