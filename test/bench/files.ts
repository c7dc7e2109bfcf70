import { closeSync, mkdirSync, openSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { readBlockFrame } from '../../src/formats/sequence-file/frames.ts'
import { readSequenceFileHeader } from '../../src/formats/sequence-file/header.ts'
import { encodeVint } from '../../src/formats/sequence-file/vint.ts'
import { createSequenceFileWriter } from '../../src/formats/sequence-file/writer.ts'

/** Distinct lines; a longer file repeats them. */
const lineCount = 40_000

const io = 'org.apache.hadoop.io.'

/** A line as a web server's log has them, five columns, about 110 bytes. */
export const createLine = (i: number): string =>
  [
    `2012-01-${String(1 + (i % 28)).padStart(2, '0')}T10:${String(i % 60).padStart(2, '0')}:00.000Z`,
    `www${i % 20}.example.org`,
    `/groups/${(i * 7919) % 5_000}/forum/topics?page=${i % 9}`,
    ((i + 1) * 104_729 * 65_537).toString(36),
    String((i * 2_654_435_761) % 2 ** 32),
  ].join('\t')

/** Writes about `bytes` bytes of lines, whole ones; the first ones of each repetition are the same. */
export const writeText = (path: string, bytes: number): number => {
  const lines = Array.from({ length: lineCount }, (_, i) => `${createLine(i)}\n`)
  const whole = Buffer.from(lines.join(''))
  if (bytes < whole.length)
    return writeRepeated(path, Buffer.alloc(0), whole.subarray(0, whole.lastIndexOf('\n', bytes) + 1), 1)
  return writeRepeated(path, Buffer.alloc(0), whole, Math.max(1, Math.round(bytes / whole.length)))
}

/** What a sequence file holds. */
export type WrittenSequenceFile = {
  /** Of all values, unfolded. */
  readonly valueBytes: number
  /** Offset and length of the compressed values of each block. */
  readonly blocks: readonly (readonly [offset: number, length: number])[]
}

/** Writes a sequence file of blocks of deflated Text values, with about `bytes` bytes of values. */
export const writeSequenceFile = (path: string, bytes: number): WrittenSequenceFile => {
  const sync = Buffer.from('0123456789abcdef')
  const writer = createSequenceFileWriter({ keyClass: `${io}NullWritable`, valueClass: `${io}Text`, sync })
  let valueBytes = 0
  for (let i = 0; i < lineCount; i++) {
    const text = Buffer.from(createLine(i))
    const value = Buffer.concat([encodeVint(text.length), text])
    writer.append(new Uint8Array(0), value)
    valueBytes += value.length
  }
  const file = Buffer.from(writer.finish())
  const { end } = readSequenceFileHeader(file)
  const blocks = file.subarray(end)
  const times = Math.max(1, Math.round(bytes / valueBytes))
  writeRepeated(path, file.subarray(0, end), blocks, times)
  const places = findBlocks(blocks, sync)
  return {
    valueBytes: valueBytes * times,
    blocks: Array.from({ length: times }, (_, i) =>
      places.map(([offset, length]) => [end + i * blocks.length + offset, length] as const),
    ).flat(),
  }
}

/** Makes a file `bytes` long with zeros that take no place on the disk. */
export const makeHuge = (path: string, bytes: number): void => truncateSync(path, bytes)

/** Makes a directory of `count` empty files. */
export const makeEntries = (directory: string, entries: number): void => {
  mkdirSync(directory, { recursive: true })
  for (let i = 0; i < entries; i++) closeSync(openSync(join(directory, `part-${String(i).padStart(6, '0')}`), 'w'))
}

/** Writes {@link WrittenSequenceFile.blocks} for the bare server. */
export const writeIndex = (path: string, { blocks }: WrittenSequenceFile): void =>
  writeFileSync(path, JSON.stringify(blocks))

const findBlocks = (bytes: Buffer, sync: Uint8Array): (readonly [offset: number, length: number])[] => {
  const places: (readonly [number, number])[] = []
  for (let at = 0; at < bytes.length; ) {
    const frame = readBlockFrame(bytes.subarray(at), 0, sync)
    if (!frame) throw new Error(`There is no block at ${at}`)
    places.push([frame.values.byteOffset - bytes.byteOffset, frame.values.length])
    at += frame.end
  }
  return places
}

const writeRepeated = (path: string, head: Buffer, part: Buffer, times: number): number => {
  const fd = openSync(path, 'w')
  try {
    writeSync(fd, head)
    for (let i = 0; i < times; i++) writeSync(fd, part)
  } finally {
    closeSync(fd)
  }
  return head.length + part.length * times
}
