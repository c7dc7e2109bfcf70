import { inflateSync } from 'node:zlib'
import { FormatError } from '../../errors.ts'
import { defaultCodecClass, magic, syncBytes, version } from './layout.ts'
import { readVint } from './vint.ts'

/** Most bytes that one buffer of a block may unfold into; a block of the collector has about a million. */
export const maxBufferBytes = 256 * 1024 * 1024

/** Longest class name and metadata text, in bytes. */
const maxTextBytes = 65_536

export type SequenceFileHeader = {
  readonly keyClass: string
  readonly valueClass: string
  readonly metadata: ReadonlyMap<string, string>
  readonly sync: Uint8Array
  /** Offset of the first block. */
  readonly end: number
}

export type SequenceFileRecord = { readonly key: Uint8Array; readonly value: Uint8Array }

/**
 * Reads the header of a file as `layout.ts` has it.
 * @throws FormatError `sequence file`: cut short, another version, not in blocks, or another codec, each by name
 */
export const readSequenceFileHeader = (bytes: Uint8Array): SequenceFileHeader => {
  if (magic.some((byte, i) => bytes[i] !== byte)) throw fault(0, 'expected "SEQ"')
  if (bytes[3] !== version) throw fault(3, `expected version ${version}, found ${bytes[3] ?? 'the end'}`)
  const key = readText(bytes, 4)
  const value = readText(bytes, key.end)
  const flags = take(bytes, value.end, 2, 'the compression flags')
  if (flags[0] !== 1 || flags[1] !== 1) throw fault(value.end, 'expected block compression (01 01)')
  const codec = readText(bytes, value.end + 2)
  if (codec.text !== defaultCodecClass) throw fault(value.end + 2, `expected ${defaultCodecClass}, found ${codec.text}`)
  const { metadata, end } = readMetadata(bytes, codec.end)
  const sync = take(bytes, end, syncBytes, 'the sync mark')
  return { keyClass: key.text, valueClass: value.text, metadata, sync, end: end + syncBytes }
}

/**
 * Reads all records after the header, block by block; those of good blocks come before damage is thrown.
 * @throws FormatError `sequence file`: a block cut short or damaged, or a buffer beyond {@link maxBufferBytes}
 */
export function* readSequenceFile(bytes: Uint8Array): Generator<SequenceFileRecord, void, undefined> {
  const { sync, end: first } = readSequenceFileHeader(bytes)
  for (let at = first; at < bytes.length; ) {
    const mark = take(bytes, at, 4 + syncBytes, 'a block')
    if (mark.some((byte, i) => byte !== (i < 4 ? 0xff : sync[i - 4]))) throw fault(at, "expected the file's sync mark")
    const { value: count, end } = readVint(bytes, at + 4 + syncBytes)
    const keyLengths = readBuffer(bytes, end)
    const keys = readBuffer(bytes, keyLengths.end)
    const valueLengths = readBuffer(bytes, keys.end)
    const values = readBuffer(bytes, valueLengths.end)
    // A record has a length of a byte or more in each of the two buffers.
    if (count < 0 || count > Math.min(keyLengths.data.length, valueLengths.data.length)) {
      throw fault(end, `expected at most ${keyLengths.data.length} records, found ${count}`)
    }
    const nextKey = slices(keyLengths.data, keys.data, at)
    const nextValue = slices(valueLengths.data, values.data, at)
    for (let i = 0; i < count; i++) yield { key: nextKey(), value: nextValue() }
    at = values.end
  }
}

const readText = (bytes: Uint8Array, at: number): { readonly text: string; readonly end: number } => {
  const { value: length, end } = readVint(bytes, at)
  if (length < 0 || length > maxTextBytes)
    throw fault(at, `expected a text of at most ${maxTextBytes} bytes, found ${length}`)
  return { text: new TextDecoder().decode(take(bytes, end, length, 'a text')), end: end + length }
}

const readMetadata = (bytes: Uint8Array, at: number) => {
  const metadata = new Map<string, string>()
  let end = at + 4
  // Each pair takes two bytes or more, so the end of the bytes bounds this loop.
  for (let left = readI32(bytes, at); left > 0; left--) {
    const key = readText(bytes, end)
    const value = readText(bytes, key.end)
    metadata.set(key.text, value.text)
    end = value.end
  }
  return { metadata, end }
}

const readBuffer = (bytes: Uint8Array, at: number): { readonly data: Uint8Array; readonly end: number } => {
  const { value: length, end } = readVint(bytes, at)
  const compressed = take(bytes, end, length, 'a compressed buffer')
  try {
    return { data: inflateSync(compressed, { maxOutputLength: maxBufferBytes }), end: end + length }
  } catch (cause) {
    throw new FormatError('sequence file', end, `expected zlib data of at most ${maxBufferBytes} bytes`, { cause })
  }
}

/** Cuts one buffer by the lengths of another; `block` is named in errors. */
const slices = (lengths: Uint8Array, data: Uint8Array, block: number): (() => Uint8Array) => {
  let lengthAt = 0
  let at = 0
  return () => {
    const { value: length, end } = readVint(lengths, lengthAt)
    if (length < 0 || length > data.length - at)
      throw fault(block, `expected lengths that fit their block, found ${length}`)
    lengthAt = end
    at += length
    return data.subarray(at - length, at)
  }
}

const readI32 = (bytes: Uint8Array, at: number): number => {
  const part = take(bytes, at, 4, 'the count of metadata')
  return new DataView(part.buffer, part.byteOffset).getInt32(0)
}

const take = (bytes: Uint8Array, at: number, size: number, what: string): Uint8Array => {
  if (size < 0 || size > bytes.length - at)
    throw fault(at, `expected ${what} of ${size} bytes, found ${bytes.length - at}`)
  return bytes.subarray(at, at + size)
}

const fault = (at: number, message: string): FormatError => new FormatError('sequence file', at, message)
