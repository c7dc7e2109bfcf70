/** Memory of pages: counted before it is allocated, whatever a footer says, and not more than the rows asked for need. */
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { LimitError, SluiceError } from '../../../../src/errors.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { PageMemory } from '../../../../src/formats/parquet/pages/page-memory.ts'
import { createOpenRows } from '../../../../src/rows/create-open-rows.ts'
import { toRowLimits } from '../../../../src/rows/limits.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import {
  type Chunk,
  type Element,
  levels,
  type Page,
  parquetFile,
  run,
  texts,
  varint,
} from '../../../suites/parquet-file.ts'
import { collect, openBytes, readJson } from '../../../unit/rows/files.ts'

const MiB = 1024 * 1024
const [zstd, lz4] = [6, 5]

/** Half of it is for one file. */
const openRows = (max: number) =>
  createOpenRows({
    limits: { ...toRowLimits(0), bytes: { max: 256 * MiB } },
    pageMemory: { max, setting: 'the.memory' },
  })

const text: Element = { name: 'b', type: 'BYTE_ARRAY', converted: 'UTF8' }

const packed = (page: Page): Page => ({ ...page, bytes: zstdCompressSync(page.bytes), size: page.bytes.length })

/** Blocks of Hadoop: lengths of all and of one, then a literal and one long copy of zeros. */
const zerosOfLz4 = (size: number): Buffer => {
  const more = size - 1 - 5 - 19
  const copy = Buffer.concat([Buffer.alloc(Math.floor(more / 255), 255), Buffer.of(more % 255)])
  return Buffer.concat([Buffer.of(0x1f, 0, 1, 0), copy, Buffer.of(0x50, 0, 0, 0, 0, 0)])
}

/** Columns of one kind, in a file whose footer says of sizes what is compressed. */
const file = (count: number, column: Element, chunk: Chunk, rows = 1): Buffer =>
  parquetFile({
    columns: Array.from({ length: count }, (_, i) => ({ ...column, name: `c${i}` })),
    chunks: Array.from({ length: count }, () => chunk),
    rows,
  })

const large = 6 * MiB
const one = texts('\0'.repeat(large))

const kinds: readonly { readonly kind: string; readonly bytes: () => Buffer }[] = [
  {
    kind: 'a large value in each column',
    bytes: () => file(8, text, { codec: zstd, pages: [packed({ values: 1, bytes: one })] }),
  },
  {
    kind: 'an encoding whose bytes must be there as a whole',
    bytes: () => {
      const bytes = Buffer.concat([Buffer.of(0x80, 1, 4, 1), varint(2 * large), Buffer.alloc(large)])
      return file(8, text, { codec: zstd, pages: [packed({ values: 1, encoding: 6, bytes })] })
    },
  },
  {
    kind: 'a codec that unfolds a page in one go',
    bytes: () => file(8, text, { codec: lz4, pages: [{ values: 1, bytes: zerosOfLz4(large), size: large }] }),
  },
  {
    kind: 'a dictionary, value by value',
    bytes: () => {
      const bytes = texts(...Array.from({ length: 12 }, () => '\0'.repeat(3 * MiB)))
      const indexes = Buffer.concat([Buffer.of(8), ...Array.from({ length: 12 }, (_, i) => run(1, i))])
      const pages = [{ kind: 'dictionary', values: 12, bytes } as const, { values: 12, encoding: 8, bytes: indexes }]
      return file(1, text, { codec: zstd, pages: pages.map(packed) }, 12)
    },
  },
  {
    kind: 'levels of a page',
    bytes: () => {
      const bytes = Buffer.concat([levels(Buffer.alloc(6 * MiB, run(0, 1)), run(1, 1)), one])
      return file(4, { ...text, repetition: 'optional' }, { codec: zstd, pages: [packed({ values: 1, bytes })] })
    },
  },
  {
    kind: 'a long list in each column',
    bytes: () => {
      const count = 90_000
      const bytes = Buffer.concat([
        levels(run(1, 0), run(count - 1, 1)),
        levels(run(count, 1)),
        Buffer.of(0),
        run(count, 0, 0),
      ])
      const pages: Page[] = [
        { kind: 'dictionary', values: 1, bytes: texts('x') },
        { values: count, encoding: 8, bytes },
      ]
      return file(8, { ...text, repetition: 'repeated' }, { pages })
    },
  },
]

describe('pages take no more memory than there is for them, whatever the footer says:', () => {
  test.each(kinds)('$kind', async ({ bytes }) => {
    const stored = bytes()
    const { error } = await collect(await openBytes('x', stored, { open: openRows(32 * MiB) }))
    expect(error).toBeInstanceOf(LimitError)
    expect(error?.message).toMatch(
      /: expected pages that take at most 16777216 bytes of memory at once, a quarter of the\.memory, found \d+;/,
    )
    // Enough memory is all that is missing.
    const { error: other, rows } = await collect(await openBytes('x', stored, { open: openRows(1024 * MiB) }))
    if (other) expect(other.message).toContain('hold at most')
    else expect(rows.length).toBeGreaterThan(0)
  })
})

const twoPages = (): Buffer =>
  file(1, text, { codec: zstd, pages: [packed({ values: 1, bytes: one }), packed({ values: 1, bytes: one })] }, 2)

test('what was read, or left, holds nothing any more', async () => {
  const open = openRows(40 * MiB)
  for (let i = 0; i < 6; i++) {
    const { batches } = await openBytes('x', twoPages(), { open })
    for await (const { rows } of batches) if (rows.length > 0 && i % 2 === 0) break
  }
})

test('files that are read at once share the memory', async () => {
  const open = openRows(40 * MiB)
  const readings = await Promise.all([1, 2, 3].map(() => openBytes('x', twoPages(), { open })))
  const begun = readings.map(({ batches }) => batches[Symbol.asyncIterator]())
  await begun[0]?.next()
  await begun[1]?.next()
  await expect(begun[2]?.next()).rejects.toMatchObject({ name: SluiceError.name, code: 'overloaded' })
  await begun[0]?.return?.()
  const again = await openBytes('x', twoPages(), { open })
  expect((await collect(again)).rows).toHaveLength(2)
})

describe('a page of which more than the first rows is read', () => {
  const count = 300_000
  const numbers = Array.from({ length: count }, (_, i) => i)
  const page = packed({ values: count, bytes: Buffer.from(Int32Array.from(numbers).buffer) })
  const bytes = file(1, { name: 'c0', type: 'INT32' }, { codec: zstd, pages: [page] }, count)

  /** How often the bytes of the page are read, which is how often it is unfolded. */
  const unfoldedIn = async (max: number): Promise<number> => {
    let taken = 0
    const memory = createMemoryFileSystem()
    const fileSystem: FileSystem = {
      ...memory,
      open: async (path, run) => {
        if (run?.length === page.bytes.length) taken++
        return memory.open(path, run)
      },
    }
    expect(await readJson('x', bytes, { open: openRows(max), fileSystem })).toEqual(numbers.map(i => `{"c0":${i}}`))
    return taken
  }

  test('is unfolded twice where there is memory for it, and for each piece where there is not', async () => {
    expect(await unfoldedIn(256 * MiB)).toBe(2)
    expect(await unfoldedIn(4 * MiB)).toBeGreaterThan(2)
  })

  test.each([256 * MiB, 14 * MiB])('has values longer than a piece, and its end within one, in %d bytes', async max => {
    const long = ['a', 'b'.repeat(3 * MiB), '', 'c'.repeat(700_000)]
    const wide = file(1, text, { codec: zstd, pages: [packed({ values: 4, bytes: texts(...long) })] }, 4)
    expect(await readJson('x', wide, { open: openRows(max) })).toEqual(long.map(c0 => JSON.stringify({ c0 })))
  })

  test('is read once where it is not compressed', async () => {
    const plain: Page = { values: count, bytes: Buffer.from(Int32Array.from(numbers).buffer) }
    const stored = file(1, { name: 'c0', type: 'INT32' }, { codec: 0, pages: [plain] }, count)
    const memory = createMemoryFileSystem()
    let read = 0
    const fileSystem: FileSystem = {
      ...memory,
      open: async (path, run) => {
        // Its head and its end are read besides.
        if (run?.length !== 256 * 1024) read += run?.length ?? 0
        return memory.open(path, run)
      },
    }
    expect(await readJson('x', stored, { fileSystem })).toHaveLength(count)
    expect(read).toBeLessThan(stored.length + 100_000)
  })

  test('is kept in half of what its file, and all of them, may take', () => {
    const memory = new PageMemory({ max: 100 })
    const [a, b, c] = [memory.open().place(), memory.open().place(), memory.open().place()]
    expect([a.fits(25), a.fits(26)]).toEqual([true, false])
    a.hold(20, 0)
    // It takes the place of what is held there.
    expect([a.fits(25), a.fits(26)]).toEqual([true, false])
    b.hold(25, 0)
    expect([a.fits(25), c.fits(5), c.fits(6)]).toEqual([true, true, false])
    b.hold(0, 0)
    expect(c.fits(25)).toBe(true)
  })
})

test('a footer with more items than anything has is refused before they are made', async () => {
  const columns: Element[] = Array.from({ length: 250_001 }, () => ({ name: '', type: 'INT32' }))
  const bytes = parquetFile({ columns, chunks: [], rows: 0 })
  await expect(openBytes('x', bytes)).rejects.toThrow('expected at most 250000 elements of a schema in the metadata')
})
