import { expect, test } from 'vitest'
import { findSharedRows, splitRows } from '../../scripts/generate/reference/shared-rows.ts'

const row = (...cells: string[]): readonly string[] => cells

test('rows of four tables are shared, in the order of their names', () => {
  const tables = Array.from({ length: 4 }, () => [row('503', 'b'), row('400', 'a')])
  expect(findSharedRows(tables)).toEqual([row('400', 'a'), row('503', 'b')])
  expect(findSharedRows(tables.slice(1))).toEqual([])
})

test('a row counts once for its table', () => {
  expect(findSharedRows([Array.from({ length: 4 }, () => row('400', 'a'))])).toEqual([])
})

test('of rows with one name the most frequent is shared, so that the name is enough', () => {
  const tables = [
    ...Array.from({ length: 4 }, () => [row('400', 'a')]),
    ...Array.from({ length: 5 }, () => [row('400', 'b')]),
  ]
  expect(findSharedRows(tables)).toEqual([row('400', 'b')])
})

test('a table keeps its own rows, and names the shared ones', () => {
  const shared = [row('400', 'b')]
  expect(splitRows([row('400', 'a'), row('503', 'c')], shared)).toEqual({
    own: [row('400', 'a'), row('503', 'c')],
    names: [],
  })
  expect(splitRows([row('400', 'b'), row('503', 'c')], shared)).toEqual({ own: [row('503', 'c')], names: ['400'] })
})
