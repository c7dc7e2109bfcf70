import { describe, expect, test } from 'vitest'
import { findRefused, listRefused, type RefusedPageQuery } from '../../../src/refused/find-refused.ts'
import type { RefusedFiles } from '../../../src/refused/refused-files.ts'
import { toRefusedRecord } from '../../../src/refused/refused-record.ts'
import { createRefusedId } from '../../../src/spool/refused-id.ts'

const hourMs = 3_600_000
const newest = Date.UTC(2026, 10, 22, 20)

type Row = { readonly id: string; readonly when: number; readonly code: string; readonly sent: string }

/** Files of one type with rows in so many hours, the last one at {@link newest}, and what was asked of them. */
const store = (hours: number, perHour: number, { code = 'a', sent = '' } = {}) => {
  const rows = new Map<string, readonly Row[]>()
  for (let hour = 0; hour < hours; hour++) {
    const when = newest - hour * hourMs
    const at = new Date(when).toISOString().slice(0, 13).replaceAll(/[-T]/g, '/')
    rows.set(
      `/events/_refused/Order/${at}`,
      Array.from({ length: perHour }, (_, n) => ({ id: createRefusedId(when + n), when: when + n, code, sent })),
    )
  }
  let looks = 0
  const files: RefusedFiles = {
    directories: async path => {
      looks++
      const children = [...rows.keys()].filter(one => one.startsWith(`${path}/`))
      return [
        ...new Set(
          children.map(one =>
            one
              .slice(path.length + 1)
              .split('/', 1)
              .join(),
          ),
        ),
      ]
        .sort()
        .reverse()
    },
    rows: async function* read(path, mayBe = () => true) {
      for (const row of rows.get(path) ?? []) {
        looks++
        const look = mayBe(JSON.stringify(row))
        if (look === 'end') return
        if (look) yield toRefusedRecord(row)
      }
    },
  }
  return { files, all: [...rows.values()].flat(), looks: () => looks }
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

/** Time for so many looks at a directory or row. */
const budget = (looks: number) => {
  let left = looks
  return () => left-- <= 0
}

const toPlace = (files: RefusedFiles, isOver: () => boolean = () => false) => ({ files, root: '/events', isOver })

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
      expect(seen).toEqual(
        made.all
          .map(({ id }) => id)
          .sort()
          .reverse(),
      )
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

  test('holds a page by what was sent in all of its hours together', async () => {
    const made = store(10, 5, { sent: 'x'.repeat(1024 * 1024) })
    const seen: string[] = []
    let before: string | undefined
    do {
      const page = await listRefused(toPlace(made.files), { ...all, before })
      expect(page?.found.length).toBeLessThanOrEqual(4)
      expect(page?.found).not.toEqual([])
      seen.push(...(page?.found ?? []).map(({ id }) => id))
      before = page?.next
    } while (before !== undefined)
    expect(seen).toEqual(
      made.all
        .map(({ id }) => id)
        .sort()
        .reverse(),
    )
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
    rows: async function* none() {},
  }
  expect(await listRefused(toPlace(files, budget(100)), all)).toBeUndefined()
  expect(looks).toBeLessThan(110)
})

describe('by ids', () => {
  const find = async (made: ReturnType<typeof store>, ids: readonly string[], isOver = () => false) => {
    const found: string[] = []
    for await (const { id } of findRefused(toPlace(made.files, isOver), ids)) found.push(id)
    return found
  }

  test('they are found in the order in which they are asked for', async () => {
    const made = store(30, 4)
    const ids = [made.all[70]?.id ?? '', made.all[3]?.id ?? '', 'no id', made.all[110]?.id ?? '']
    expect(await find(made, ids)).toEqual(ids.filter(id => id !== 'no id'))
  })

  test('200 that are made up cost one walk', async () => {
    const made = store(24 * 40, 1)
    const ids = Array.from({ length: 200 }, (_, i) =>
      createRefusedId(Date.UTC(1990 + (i % 60), i % 12, 1 + (i % 28), 5)),
    )
    expect(await find(made, ids)).toEqual([])
    expect(made.looks()).toBeLessThan(10)
  })

  test('of an hour that has them not, no more is looked at than there is time for', async () => {
    const made = store(30, 1_000)
    expect(await find(made, [createRefusedId(newest - 3 * hourMs)], budget(50))).toEqual([])
    expect(made.looks()).toBeLessThan(60)
  })
})
