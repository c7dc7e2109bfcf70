import { describe, expect, test } from 'vitest'
import { findRefused } from '../../../src/refused/find-by-ids.ts'
import { DamagedFile } from '../../../src/refused/refused-files.ts'
import { toSince } from '../../../src/spool/files/file-since.ts'
import { createRefusedId } from '../../../src/spool/refused-id.ts'
import { createRefusedStore, hourPath, type StoredRows } from './refused-store.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
const start = Date.UTC(2026, 10, 22, 8)
const collector = '0123456789abcdef0123456789abcdef'
const fileName = (since: number, segment = 1, id = collector): string => `${toSince(since)}-${id}-${segment}-0.jsonl`
const idOf = (when: number, type = 'Order'): string => createRefusedId(when, type)
/** As ids were before they said the type. */
const oldIdOf = (when: number): string => idOf(when).replace(/-8(?=[\da-f]{3}-[89ab])/, '-7')

const find = async (
  store: ReturnType<typeof createRefusedStore>,
  ids: readonly string[],
  isOver = (): boolean => false,
) => {
  const unreadable: string[] = []
  const found: string[] = []
  const onUnreadable = ({ path }: { readonly path: string }) => void unreadable.push(path)
  for await (const { id } of findRefused({ files: store.files, root: '/events', isOver, onUnreadable }, ids))
    found.push(id)
  return { found, unreadable }
}

/** A number of types, hours, and files per hour, with a row a minute. */
const createStore = ({ types = 1, hours = 1, perHour = 4, idAt = idOf } = {}) => {
  const rows = new Map<string, readonly { readonly id: string }[]>()
  for (let type = 0; type < types; type++) {
    for (let hour = 0; hour < hours; hour++) {
      for (let file = 0; file < perHour; file++) {
        const since = start - hour * hourMs + (file * hourMs) / perHour
        const path = `/events/_refused/T${type}/${hourPath(since)}/${fileName(since, hour * perHour + file)}`
        const minutes = 60 / perHour
        rows.set(
          path,
          Array.from({ length: minutes }, (_, n) => ({ id: idAt(since + 5 + n * minuteMs, `T${type}`) })),
        )
      }
    }
  }
  return { ...createRefusedStore(rows), all: [...rows.values()].flat().map(({ id }) => id) }
}

describe('what a look by id costs', () => {
  const cost = async (options: Parameters<typeof createStore>[0]): Promise<number> => {
    const store = createStore(options)
    for (const id of store.all.slice(0, 20)) expect((await find(store, [id])).found).toEqual([id])
    store.forget()
    await find(store, [store.all[31] ?? ''])
    return store.looks()
  }

  test.each([{ types: 500 }, { hours: 500 }, { perHour: 60 }])(
    'does not grow with what else was refused: %j',
    async more => {
      expect(await cost({ perHour: 30, ...more })).toBeLessThanOrEqual(await cost({ perHour: 30 }))
    },
  )

  test('is one file, and two if its request came as the file began', async () => {
    const store = createStore({ types: 20, hours: 20 })
    for (const id of store.all.slice(0, 60)) {
      store.forget()
      await find(store, [id])
      expect(store.read()).toHaveLength(1)
    }
  })

  test('of many of an hour is that hour once', async () => {
    const store = createStore({ types: 20, hours: 20 })
    const ids = store.all.slice(0, 60)
    expect((await find(store, ids)).found).toEqual(ids)
    expect(store.read()).toHaveLength(4)
  })

  test('of several types of an hour is one file of each', async () => {
    const store = createStore({ types: 3 })
    const ids = [store.all[3] ?? '', store.all[63] ?? '', store.all[123] ?? '']
    expect((await find(store, ids)).found).toEqual(ids)
    expect(store.read()).toHaveLength(3)
  })

  test('of 200 that are made up is one listing', async () => {
    const store = createStore({ types: 50 })
    const ids = Array.from({ length: 200 }, (_, i) =>
      idOf(Date.UTC(1990 + (i % 60), i % 12, 1 + (i % 28), 5), `Other${i}`),
    )
    expect((await find(store, ids)).found).toEqual([])
    expect(store.looks()).toBe(1)
  })
})

test('ids are found in the order in which hours are asked for', async () => {
  const store = createStore({ types: 3, hours: 3, perHour: 1 })
  const ids = [store.all[140] ?? '', store.all[3] ?? '', 'no id', store.all[70] ?? '', store.all[4] ?? '']
  expect((await find(store, ids)).found).toEqual([ids[0], ids[1], ids[4], ids[3]])
})

test('old ids, which say no type, are found among all types', async () => {
  const store = createStore({ types: 30, hours: 3, perHour: 2, idAt: oldIdOf })
  const ids = [store.all[0] ?? '', store.all.at(-1) ?? '']
  expect(new Set((await find(store, ids)).found)).toEqual(new Set(ids))
})

const late = idOf(start + 10 * minuteMs)
const hour = `/events/_refused/Order/${hourPath(start)}`
const files = [start - minuteMs, start + 5 * minuteMs, start + 20 * minuteMs].map((since, n) => fileName(since, n))

test.each([
  ['a file that began later', `${hour}/${fileName(start + 90 * minuteMs, 9)}`],
  ['a file that began earlier', `${hour}/${files[0]}`],
  ['a file of another collector', `${hour}/${fileName(start, 7, 'f'.repeat(32))}`],
  ['a file of another name', `${hour}/part-0.parquet`],
  ['directories of Hive', '/events/_refused/Order/dt=2026-11-22/hour=08/a'],
])('an event is also found in %s', async (_, path) => {
  const rows = new Map<string, readonly { readonly id: string }[]>(files.map(name => [`${hour}/${name}`, []]))
  expect((await find(createRefusedStore(rows.set(path, [{ id: late }])), [late])).found).toEqual([late])
})

test('a damaged file hides no event of the others', async () => {
  const rows: StoredRows = new Map([
    [`${hour}/${files[1]}`, [new DamagedFile('cut')]],
    [`${hour}/${files[2]}`, [{ id: late }]],
  ])
  expect(await find(createRefusedStore(rows), [late])).toEqual({ found: [late], unreadable: [`${hour}/${files[1]}`] })
})

test('no more is looked at than there is time for', async () => {
  const store = createStore({ perHour: 60 })
  let left = 20
  expect((await find(store, [idOf(start + 7, 'T0')], () => left-- <= 0)).found).toEqual([])
  expect(store.looks()).toBeLessThan(30)
})
