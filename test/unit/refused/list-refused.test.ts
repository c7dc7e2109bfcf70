import { describe, expect, test } from 'vitest'
import { listRefused, type RefusedPageQuery } from '../../../src/refused/list-refused.ts'
import { DamagedFile, type RefusedFiles } from '../../../src/refused/refused-files.ts'
import type { RefusedPlace, UnreadableFile } from '../../../src/refused/refused-place.ts'
import { createRefusedId } from '../../../src/spool/refused-id.ts'
import { createRefusedStore, hourPath } from './refused-store.ts'

const hourMs = 3_600_000
const newest = Date.UTC(2026, 10, 22, 20)

/** One file of one type in each of a number of hours, the last one at {@link newest}. */
const store = (hours: number, perHour: number, { code = 'a', ...more }: Readonly<Record<string, string>> = {}) => {
  const rows = new Map(
    Array.from({ length: hours }, (_, hour) => {
      const first = newest - hour * hourMs
      const toRow = (n: number) => ({ id: createRefusedId(first + n, 'Order'), when: first + n, code, ...more })
      return [`/events/_refused/Order/${hourPath(first)}/a`, Array.from({ length: perHour }, (__, n) => toRow(n))]
    }),
  )
  const all = [...rows.values()].flat()
  const newestFirst = all.map(({ id }) => id).toSorted()
  return { ...createRefusedStore(rows), all, newestFirst: newestFirst.reverse() }
}

const all: RefusedPageQuery = {
  types: [],
  code: undefined,
  from: 0,
  to: newest + hourMs,
  before: undefined,
  limit: 50,
  isWhole: true,
}

/** Time for a number of looks at a directory or row. */
const budget = (looks: number) => {
  let left = looks
  return () => left-- <= 0
}

const toPlace = (files: RefusedFiles, isOver: () => boolean = () => false): RefusedPlace => ({
  files,
  root: '/events',
  isOver,
  onUnreadable: ({ path }) => expect.fail(path),
})

describe('a list', () => {
  test.each([1, 2, 3, 5, 8, 13, 30, 60, 100])(
    'with time for %i looks stops, says how far it came, and goes on',
    async looks => {
      const made = store(12, 3)
      const seen: string[] = []
      let before: string | undefined
      for (let call = 0; call < 200; call++) {
        // Each call has more time than the last, so that each gets somewhere.
        const page = await listRefused(toPlace(made.files, budget(looks * (call + 1))), { ...all, before })
        if (page === undefined) continue
        seen.push(...page.found.map(({ id }) => id))
        if (page.stopped) expect(page.stopped.hours).toBeGreaterThan(0)
        if (page.next === undefined) break
        before = page.next
      }
      expect(seen).toEqual(made.newestFirst)
    },
  )

  test('of a code that none has takes no more time than it is given', async () => {
    const made = store(40, 200)
    const page = await listRefused(toPlace(made.files, budget(1_000)), { ...all, code: 'other' })
    expect(made.looks()).toBeLessThan(1_100)
    const { hours = 0, until = 0 } = page?.stopped ?? {}
    expect(page?.found).toEqual([])
    expect(hours).toBeGreaterThan(2)
    expect(until).toBe(newest - (hours - 1) * hourMs)
    expect(page?.next).toBeDefined()
  })

  test('of what is not there looks to the end, and says so', async () => {
    const made = store(4, 5)
    expect(await listRefused(toPlace(made.files), { ...all, code: 'other' })).toEqual({ found: [], next: undefined })
  })

  const long = 'x'.repeat(1024 * 1024)
  test.each([
    ['what was sent', { sent: long }],
    ['a header', { headers: JSON.stringify({ referer: long }) }],
    ['the type of its content', { contentType: long }],
  ])('holds a page by its length in all of its hours together: %s', async (_, more) => {
    const made = store(10, 5, more)
    const seen: string[] = []
    let before: string | undefined
    do {
      const page = await listRefused(toPlace(made.files), { ...all, before })
      expect(page?.found.length).toBeLessThanOrEqual(4)
      expect(page?.found).not.toEqual([])
      seen.push(...(page?.found ?? []).map(({ id }) => id))
      before = page?.next
    } while (before !== undefined)
    expect(seen).toEqual(made.newestFirst)
  })
})

test('a walk through directories of no hour ends when its time does', async () => {
  let looks = 0
  const children = (path: string): readonly string[] => {
    const depth = path.split('/').length - 3
    return depth === 0 ? ['2026'] : depth < 3 ? Array.from({ length: 12 }, (_, i) => String(i + 10)) : []
  }
  const files: RefusedFiles = {
    directories: async path => {
      looks++
      return path === '/events/_refused' ? Array.from({ length: 1_000 }, (_, i) => `Type${i}`) : children(path)
    },
    files: async () => [],
    rows: async function* none() {},
  }
  expect(await listRefused(toPlace(files, budget(100)), all)).toBeUndefined()
  expect(looks).toBeLessThan(120)
})

test('a damaged file is named, and hides neither its own rows before nor those of others', async () => {
  const id = (n: number): string => createRefusedId(newest + n, 'Order')
  const [a, b, c] = [{ id: id(1) }, { id: id(2) }, { id: id(3) }]
  const hour = `/events/_refused/Order/${hourPath(newest)}`
  const { files } = createRefusedStore(
    new Map([
      [`${hour}/a`, [a, new DamagedFile('bytes are missing')]],
      [`${hour}/b`, [new DamagedFile('no rows')]],
      [`${hour}/c`, [b]],
      [`/events/_refused/Page/${hourPath(newest - hourMs)}/d`, [new DamagedFile('no rows either')]],
      [`/events/_refused/Page/${hourPath(newest - hourMs)}/e`, [c]],
    ]),
  )
  const unreadable: UnreadableFile[] = []
  const place = { ...toPlace(files), onUnreadable: (file: UnreadableFile) => void unreadable.push(file) }
  const page = await listRefused(place, all)
  expect(page?.found.map(({ id: found }) => found)).toEqual([b.id, a.id, c.id])
  expect(unreadable.map(({ path, reason }) => `${path.slice(-1)}: ${reason}`)).toEqual([
    'a: bytes are missing',
    'b: no rows',
    'd: no rows either',
  ])
})

test('what is wrong with more than one file is thrown', async () => {
  const path = `/events/_refused/Order/${hourPath(newest)}/a`
  const { files } = createRefusedStore(new Map([[path, [new Error('the cluster is away')]]]))
  await expect(listRefused(toPlace(files), all)).rejects.toThrow('the cluster is away')
})
