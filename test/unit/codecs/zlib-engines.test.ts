import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createZlibEngines } from '../../../src/codecs/zlib-engines.ts'
import { type ZlibKind, zlibKinds } from '../../../src/codecs/zlib-kinds.ts'

const raw = Buffer.from(Array.from({ length: 40_000 }, (_, i) => `${i * 7919} line ${i}\n`).join(''))

const formats = [
  { format: 'deflate', compress: zlib.deflateSync, kind: zlibKinds.deflate },
  { format: 'gzip', compress: zlib.gzipSync, kind: zlibKinds.gzip },
  { format: 'zstd', compress: zlib.zstdCompressSync, kind: zlibKinds.zstd },
]

describe.each(formats)('$format', ({ compress, kind }) => {
  const compressed = compress(raw)
  const open = () => {
    let created = 0
    const createStream: ZlibKind['createStream'] = options => {
      created++
      return kind.createStream(options)
    }
    const engines = createZlibEngines({ ...kind, createStream })
    return { ...engines, created: () => created }
  }

  test('unfolds buffer after buffer with one stream', async () => {
    const { unfold, created } = open()
    for (const size of [0, 1, 70_000, raw.length, 5]) {
      const part = raw.subarray(0, size)
      expect((await unfold(compress(part), raw.length)).equals(part)).toBe(true)
    }
    expect(created()).toBe(1)
  })

  test('unfolds several at once', async () => {
    const { unfold } = open()
    for (let round = 0; round < 2; round++) {
      const parts = Array.from({ length: 9 }, (_, i) => raw.subarray(i * 1_000))
      const unfolded = await Promise.all(parts.map(part => unfold(compress(part), raw.length)))
      expect(unfolded.map((bytes, i) => bytes.equals(parts[i] ?? raw))).toEqual(parts.map(() => true))
    }
  })

  test('works after buffers that are cut, damaged or too large', async () => {
    const { unfold } = open()
    for (const end of [0, 1, 40, compressed.length >> 1, compressed.length - 1]) {
      await expect(unfold(compressed.subarray(0, end), raw.length), `cut at ${end}`).rejects.toThrow()
      expect((await unfold(compressed, raw.length)).equals(raw)).toBe(true)
    }
    const damaged = Uint8Array.from(compressed).fill(0xff, 0, 6)
    await expect(unfold(damaged, raw.length)).rejects.toThrow()
    await expect(unfold(compressed, raw.length - 1)).rejects.toThrow(`more than ${raw.length - 1} bytes`)
    expect((await unfold(compressed, raw.length)).equals(raw)).toBe(true)
  })

  test('writes into the room it is given, where that is large enough', async () => {
    const { unfold } = open()
    const room = Buffer.alloc(raw.length + 10)
    const inside = await unfold(compressed, raw.length, room)
    expect(inside.buffer).toBe(room.buffer)
    expect(inside.equals(raw)).toBe(true)
    const outside = await unfold(compressed, raw.length, Buffer.alloc(100))
    expect(outside.equals(raw)).toBe(true)
  })

  test('any bytes come out as they were, or an error does', async () => {
    const { unfold } = open()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), fc.nat(), fc.boolean(), async (bytes, at, isDamaged) => {
        const sent = Buffer.from(compress(bytes))
        if (isDamaged) sent[at % sent.length] = (sent[at % sent.length] ?? 0) ^ 0x10
        const unfolded = await unfold(sent, 1_000_000).catch(error => error as Error)
        if (!isDamaged) expect(Buffer.from(bytes).equals(unfolded as Buffer)).toBe(true)
        else expect(unfolded instanceof Error || unfolded instanceof Buffer).toBe(true)
      }),
    )
  })
})

test('what is unfolded is left to collections of the young', () => {
  const module = join(import.meta.dirname, '../../../src/codecs/codecs.ts')
  const script = `
    import zlib from 'node:zlib'
    import { hadoopCodecs } from ${JSON.stringify(module)}
    const { decode } = hadoopCodecs.get('org.apache.hadoop.io.compress.DefaultCodec')
    const bytes = zlib.deflateSync(Buffer.from(Array.from({ length: 100_000 }, (_, i) => String(i * 7919)).join()))
    const unfoldOne = async () => (await decode(bytes, 10_000_000)).length
    let unfolded = 0
    for (let i = 0; i < 100; i++) {
      unfolded += await unfoldOne()
      gc({ type: 'minor' })
    }
    console.log(JSON.stringify({ unfolded, kept: process.memoryUsage().arrayBuffers }))`
  const args = ['--expose-gc', '--input-type=module', '--eval', script]
  const { unfolded, kept } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
    readonly unfolded: number
    readonly kept: number
  }
  expect(unfolded).toBeGreaterThan(80_000_000)
  expect(kept).toBeLessThan(unfolded / 10)
})
