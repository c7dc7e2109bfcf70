/** Windows of Zstandard's frames: how far back copies may refer, which is what reading them takes. */
import { Buffer } from 'node:buffer'
import { describe, expect, test } from 'vitest'
import { findPageCodec } from '../../../src/codecs/parquet-pages.ts'
import { zstd } from '../../../src/codecs/zstd-stream.ts'
import { createOpenRows } from '../../../src/rows/create-open-rows.ts'
import { parquetFile, texts } from '../../suites/parquet-file.ts'
import { pieces } from '../../suites/pieces.ts'
import { createTestCollector, post } from '../../unit/collector/fakes.ts'
import { buildSequenceFile, toTextValue } from '../../unit/formats/sequence-file/versions.ts'
import { readJson } from '../../unit/rows/files.ts'

const MiB = 2 ** 20
const GiB = 2 ** 30

/** A block's header: whether it is the last one, its type (0 as it is, 1 one byte repeated) and its size. */
const block = (type: 0 | 1, size: number, bytes: Uint8Array, isLast = false): Buffer => {
  const header = Buffer.alloc(3)
  header.writeUIntLE((size << 3) | (type << 1) | Number(isLast), 0, 3)
  return Buffer.concat([header, bytes])
}

/** A frame with the window that `--long` asks for; before its content many kilobytes of `filler` in few bytes. */
const frame = (log: number, content: Uint8Array | string, fillKiB = 0, eighths = 0): Buffer => {
  const start = Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, ((log - 10) << 3) | eighths)
  const fillers = Array.from({ length: fillKiB / 64 }, () => block(1, 64 * 1024, Buffer.from('\n')))
  const bytes = Buffer.from(content)
  return Buffer.concat([start, ...fillers, block(0, bytes.length, bytes, true)])
}

const sync = Buffer.alloc(16, 7)
const word = (text: string): Buffer => Buffer.concat([Buffer.of(2 * text.length), Buffer.from(text)])

const avroFile = (data: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from('Obj\x01'),
    Buffer.of(4),
    ...['avro.schema', '"string"', 'avro.codec', 'zstandard'].map(word),
    Buffer.of(0),
    sync,
    Buffer.of(2, 2 * data.length),
    data,
    sync,
  ])

const parquetPage = texts('one')

/** One text in a frame with that window. */
const kinds: readonly { readonly name: string; readonly row: string; readonly toFile: (log: number) => Buffer }[] = [
  { name: 'a.txt.zst', row: '{"col-0":"one"}', toFile: log => frame(log, 'one\n') },
  { name: 'a.avro', row: '{"value":"one"}', toFile: log => avroFile(frame(log, word('one'))) },
  {
    name: 'a.parquet',
    row: '{"b":"one"}',
    toFile: log =>
      parquetFile({
        columns: [{ name: 'b', type: 'BYTE_ARRAY', converted: 'UTF8' }],
        chunks: [{ codec: 6, pages: [{ values: 1, bytes: frame(log, parquetPage), size: parquetPage.length }] }],
        rows: 1,
      }),
  },
]

const withWindows = (max: number) => createOpenRows({ windows: { max, setting: 'the.window' } })

describe.each(kinds)('a window in $name', ({ name, row, toFile }) => {
  test.each([
    { max: 2 * GiB, log: 31 },
    { max: 512 * MiB, log: 29 },
    { max: 128 * MiB, log: 27 },
  ])('of 2^$log bytes is read where $max are allowed', async ({ max, log }) => {
    expect(await readJson(name, toFile(log), { open: withWindows(max) })).toEqual([row])
  })

  test.each([
    { max: 512 * MiB, log: 30, words: ['is 1024 MiB', 'at most 512 MiB', '(the.window)', '--long=29'] },
    { max: 128 * MiB, log: 31, words: ['is 2048 MiB', 'at most 128 MiB', '(the.window)', '--long=27'] },
  ])('of 2^$log bytes is refused where $max are allowed, with both and the setting', async ({ max, log, words }) => {
    const error = await readJson(name, toFile(log), { open: withWindows(max) }).catch(String)
    for (const part of words) expect(error).toContain(part)
    expect(error).not.toContain('damaged')
  })

  test('may be 128 MiB where nothing is said', async () => {
    expect(await readJson(name, toFile(27))).toEqual([row])
    await expect(readJson(name, toFile(28))).rejects.toThrow('is 256 MiB, and at most 128 MiB are read: compress')
  })
})

test('a window in a sequence file, whose values are far smaller, is at most 128 MiB', async () => {
  const open = withWindows(2 * GiB)
  const toFile = (log: number): Buffer =>
    buildSequenceFile([toTextValue('one')], {
      compression: 'record',
      codecClass: 'org.apache.hadoop.io.compress.ZStandardCodec',
      compress: bytes => frame(log, bytes),
    })
  expect(await readJson('x', toFile(27), { open })).toEqual(['{"col-0":"one"}'])
  await expect(readJson('x', toFile(28), { open })).rejects.toThrow(
    'is 256 MiB, and at most 128 MiB are read: compress',
  )
})

test('a body has at most 128 MiB, in its own words', async () => {
  const { collector } = createTestCollector()
  const frames = [frame(31, 'one\n'), Buffer.concat([frame(20, '[]'), frame(31, '\n')])]
  for (const bytes of frames) {
    const response = await post(collector, new Uint8Array(bytes), { headers: { 'content-encoding': 'zstd' } })
    expect(response.status).toBe(400)
    const text = await response.text()
    expect(text).toContain('The body cannot be decompressed: the window of a frame is 2048 MiB, and at most 128 MiB')
    expect(text).not.toContain('gateway')
  }
})

describe('the memory of windows beyond 128 MiB', () => {
  const options = { windows: { max: 2 * GiB, setting: 'the.window' }, pageMemory: { max: MiB } }

  test('counts with that of pages, as they fill', async () => {
    const open = createOpenRows(options)
    const read = (log: number, fillKiB: number) => readJson('a.txt.zst', frame(log, 'one\n', fillKiB), { open })
    await expect(read(31, 2048)).rejects.toThrow('bytes of pages and windows; retry later')
    expect(await read(27, 2048)).toHaveLength(2 * MiB + 1)
    // What was held is free again, however the reading ended.
    for (let i = 0; i < 3; i++) expect(await read(31, 768)).toHaveLength(768 * 1024 + 1)
  })

  test('counts in a page of Parquet up to the largest that is allowed', () => {
    const heldOf = (max?: number) => findPageCodec('ZSTD', max ? { windows: { max } } : {}).held(600 * MiB, GiB)
    expect(heldOf(GiB) - 600 * MiB).toBe(heldOf() - 128 * MiB)
    expect(heldOf()).toBeGreaterThan(128 * MiB)
  })

  test('is not more than the window, and given back', async () => {
    let [held, most] = [0, 0]
    const hold = (bytes: number): void => {
      held += bytes
      most = Math.max(most, held)
    }
    // 144 MiB, the next size above.
    const bytes = frame(27, 'one\n', 160 * 1024, 1)
    for await (const _ of zstd.stream(pieces(bytes, 64 * 1024), { windows: options.windows, hold }));
    expect([held, most]).toEqual([0, 144 * MiB])
  })
})
