import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRows } from '../../../../../src/gateway/pages/find/find-rows.ts'
import { createMarkMemory } from '../../../../../src/gateway/rows/mark-memory.ts'
import type { Mark } from '../../../../../src/rows/reading.ts'
import { parseWhere } from '../../../../../src/rows/where/where.ts'
import { createMemoryFileSystem } from '../../../../suites/memory-filesystem.ts'
import { createReadContext } from '../../../../suites/reads.ts'

const padding = 'x'.repeat(40)
const lines = (ns: readonly number[], pad: number, toLine: (n: number) => string): string =>
  ns.map(n => `${toLine(n)}${' '.repeat(pad)}\n`).join('')
const writers: Readonly<Record<string, (ns: readonly number[], pad: number) => Uint8Array | string>> = {
  'f.jsonl': (ns, pad) => lines(ns, pad, n => JSON.stringify({ n, padding })),
  'f.jsonl.gz': (ns, pad) => gzipSync(lines(ns, pad, n => JSON.stringify({ n, padding }))),
  'f.csv': (ns, pad) => `n,padding\n${lines(ns, pad, n => `${n},${padding}`)}`,
}

/** A clock of its own: each look at it is 1 ms later. */
const createClock = (): (() => number) => {
  let ms = 0
  return () => ++ms
}

test('with any budget, "Continue" leads over every matching row, once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(writers)),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3_000, size: 'max' }),
      fc.nat(300),
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(0, 1, 2, 1_000_000),
      fc.constantFrom(0, 1_000, 100_000, 1e9),
      fc.boolean(),
      async (name, ns, pad, wanted, most, ms, bytes, remembers) => {
        const fileSystem = createMemoryFileSystem()
        await fileSystem.create(
          `/${name}`,
          new Blob([Uint8Array.from(Buffer.from(writers[name]?.(ns, pad) ?? ''))]).stream(),
        )
        const { openRowFile } = createReadContext(fileSystem)
        const status = await fileSystem.getFileStatus(`/${name}`)
        const where = parseWhere(`n = ${wanted}`)
        let memory = createMarkMemory()
        const found: (readonly [row: number, value: unknown])[] = []
        let first: number | undefined = 0
        let at: Mark | undefined
        let pages = 0
        while (first !== undefined) {
          if (!remembers) memory = createMarkMemory()
          const page = await findRows(
            one => openRowFile(one.status, { ...one, raw: false, nulls: true }),
            memory,
            fileSystem,
            {
              status,
              first,
              last: Number.POSITIVE_INFINITY,
              at,
              most,
              mostColumns: 5,
              where,
              budget: { ms, bytes },
              now: createClock(),
              signal: new AbortController().signal,
            },
          )
          expect(page.damage).toBeUndefined()
          found.push(...page.rows.map(({ values }, index) => [page.numbers[index] ?? -1, Number(values[0])] as const))
          expect(page.found.goOn ?? Number.POSITIVE_INFINITY).toBeGreaterThan(first)
          first = page.found.goOn
          at = page.next
          pages++
        }
        expect(found).toEqual(ns.flatMap((n, row) => (n === wanted ? [[row, n]] : [])))
        expect(pages).toBeLessThanOrEqual(ns.length + 2)
      },
    ),
    { numRuns: 30 },
  )
})
