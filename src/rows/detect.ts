import type { Codec } from '../codecs/codec.ts'
import { codecs } from '../codecs/codecs.ts'
import { isSequenceFile } from '../formats/sequence-file/header.ts'
import { maxGranularityBytes } from '../formats/thrift/envelope-stream.ts'

/** Names of the built-in formats. */
export type RowFormat = 'sequencefile' | 'avro' | 'parquet' | 'smile' | 'thrift' | 'json' | 'csv' | 'tsv' | 'text'

/** Bytes of the content that decide. */
export const headBytes = 4_096

/** Suffixes of a file's name in lower case, the last one first: `a.B.gz` has `gz` and `b`. */
export const toSuffixes = (path: string): readonly string[] => {
  const [, ...suffixes] = path.slice(path.lastIndexOf('/') + 1).split('.')
  return suffixes.map(suffix => suffix.toLowerCase()).reverse()
}

/**
 * The codec around a file: the one whose magic number it begins with, or one without a magic number that the suffix
 * names. A suffix alone does not make a gzip file of a text.
 */
export const detectCodec = (head: Uint8Array, [suffix = '']: readonly string[]): Codec | undefined => {
  if (head.length === 0) return undefined
  const shown = codecs.find(codec => codec.isMagic?.(head, suffix))
  if (shown) return shown
  const named = codecs.find(({ suffixes }) => suffixes.includes(suffix))
  if (named?.name === 'deflate') return isZlibHeader(head) ? named : undefined
  return named?.isMagic ? undefined : named
}

/** The suffix that names the format: that of a codec is skipped. */
export const toFormatSuffix = ([last = '', before = '']: readonly string[]): string =>
  codecs.some(({ suffixes }) => suffixes.includes(last)) ? before : last

/** What a file is, by its first bytes (unpacked), then by its suffix. */
export const detectFormat = (head: Uint8Array, suffix: string): RowFormat => {
  if (isSequenceFile(head)) return 'sequencefile'
  if (startsWith(head, 'Obj\x01')) return 'avro'
  if (startsWith(head, 'PAR1')) return 'parquet'
  if (startsWith(head, ':)\n') && (head[3] ?? 0) < 0x10) return 'smile'
  const named = suffixFormats.get(suffix)
  if (named === 'json') return looksLikeJson(head) || (isLines(suffix) && hasJsonLine(head)) ? 'json' : 'text'
  if (named !== undefined) return named
  if (looksLikeThrift(head)) return 'thrift'
  return looksLikeObjects(head) ? 'json' : 'text'
}

const suffixFormats: ReadonlyMap<string, RowFormat> = new Map([
  ['smile', 'smile'],
  ['sml', 'smile'],
  ['thrift', 'thrift'],
  ['json', 'json'],
  ['jsonl', 'json'],
  ['ndjson', 'json'],
  ['csv', 'csv'],
  ['txt', 'text'],
  ['text', 'text'],
  ['log', 'text'],
  ['tsv', 'tsv'],
  ['tab', 'tsv'],
  ['md', 'text'],
])

const isZlibHeader = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0

/** A record's separator, a date from 1970 to 2255, and a granularity's name in capitals. */
const looksLikeThrift = (head: Uint8Array): boolean => {
  if (head.length < 14 || head[0] !== 0x0a || head[1] !== 0 || head[2] !== 0 || (head[3] ?? 0) > 8) return false
  const length = new DataView(head.buffer, head.byteOffset).getUint32(9)
  if (length === 0 || length > maxGranularityBytes || 13 + length >= head.length) return false
  return head.subarray(13, 13 + length).every(byte => byte >= 0x41 && byte <= 0x5a) && head[13 + length] === 0x0b
}

/** Whether a suffix says that each line is a value. */
export const isLines = (suffix: string): boolean => suffix === 'jsonl' || suffix === 'ndjson'

/** Bad lines may be the first ones. */
const hasJsonLine = (head: Uint8Array): boolean => /(?:^|[\n\r])\s*[[{]/.test(toStart(head))

const looksLikeJson = (head: Uint8Array): boolean => /^\ufeff?\s*(?:[[{]|$)/.test(toStart(head))

/**
 * Without a suffix, only objects with a name in quotes: lines of text may begin with a bracket or a brace. A first line
 * that is there whole must be JSON.
 */
const looksLikeObjects = (head: Uint8Array): boolean => {
  const text = toStart(head)
  if (!/^\ufeff?\s*(?:\[\s*)?\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})/.test(text)) return false
  const [line = '', ...more] = text
    .replace(/^\ufeff/, '')
    .trimStart()
    .split('\n')
  if (more.length === 0 || !line.trimEnd().endsWith('}')) return true
  try {
    JSON.parse(line)
    return true
  } catch {
    // An object over several lines, one of which ends with a brace.
    return !line.startsWith('{')
  }
}

const toStart = (head: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(head)

const startsWith = (bytes: Uint8Array, magic: string): boolean =>
  bytes.length >= magic.length && Array.from(magic, char => char.charCodeAt(0)).every((code, i) => bytes[i] === code)
