import { expect, test } from 'vitest'
import { newestHours } from '../../../src/refused/refused-hours.ts'

const tree: Readonly<Record<string, readonly string[]>> = {
  '/events/_refused': ['Page', 'Order'],
  '/events/_refused/Order': ['dt=2026-01-02', '2026', '2025'],
  '/events/_refused/Order/2026': ['02', '01'],
  '/events/_refused/Order/2026/02': ['01', '.x'],
  '/events/_refused/Order/2026/02/01': ['00'],
  '/events/_refused/Order/2026/01': ['02'],
  '/events/_refused/Order/2026/01/02': ['23', '04', '03'],
  '/events/_refused/Order/2025': ['12'],
  '/events/_refused/Order/2025/12': ['31'],
  '/events/_refused/Order/2025/12/31': ['23'],
  '/events/_refused/Order/dt=2026-01-02': ['hour=05', 'hour=03'],
  '/events/_refused/Page': ['2026'],
  '/events/_refused/Page/2026': ['01'],
  '/events/_refused/Page/2026/01': ['02'],
  '/events/_refused/Page/2026/01/02': ['03'],
}

const look = async (wanted: { types?: readonly string[]; from?: string; to?: string }) => {
  const listed: string[] = []
  const files = {
    directories: async (path: string) => {
      listed.push(path)
      return tree[path] ?? []
    },
  }
  const { types = [], from = '1970-01-01', to = '9999-01-01' } = wanted
  const hours: string[] = []
  for await (const { at, directories } of newestHours(files, '/events', {
    types,
    from: Date.parse(from),
    to: Date.parse(to),
  }))
    hours.push(`${new Date(at).toISOString().slice(0, 13)} ${directories.length}`)
  return { hours, listed }
}

test('hours of all types and layouts, the newest first', async () => {
  expect((await look({})).hours).toEqual([
    '2026-02-01T00 1',
    '2026-01-02T23 1',
    '2026-01-02T05 1',
    '2026-01-02T04 1',
    '2026-01-02T03 3',
    '2025-12-31T23 1',
  ])
})

test('of a type and a span; what is outside is not listed', async () => {
  const { hours, listed } = await look({ types: ['Order'], from: '2026-01-02T04:59Z', to: '2026-01-31T00:00Z' })
  expect(hours).toEqual(['2026-01-02T23 1', '2026-01-02T05 1', '2026-01-02T04 1'])
  expect(listed.filter(path => /2025|Page|2026\/02/.test(path))).toEqual([])
})

test('of nothing', async () => {
  expect((await look({ types: ['Other', '_unknown'] })).hours).toEqual([])
})

test('directories of many types are listed beside one another, some at a time', async () => {
  const names = Array.from({ length: 100 }, (_, i) => `Type${i}`)
  let running = 0
  let most = 0
  const files = {
    directories: async (path: string): Promise<readonly string[]> => {
      if (path === '/events/_refused') return names
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      const depth = path.split('/').length - 4
      return ['2026', '11', '22', '08'].slice(depth, depth + 1)
    },
  }
  const wanted = { types: [], from: 0, to: Number.MAX_SAFE_INTEGER }
  const hours = await Array.fromAsync(newestHours(files, '/events', wanted))
  expect(hours.map(({ directories }) => new Set(directories).size)).toEqual([100])
  expect(most).toBe(16)
})
