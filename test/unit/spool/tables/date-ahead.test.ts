import { expect, test } from 'vitest'
import { createTableDesk } from '../../../../src/spool/tables/table-desk.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { calm, makeTable } from '../../tables/a-table.ts'
import { load } from '../../tables/grown-table.ts'

test('a table whose date has not come is told once, and again once it was over in between; clocks differ by minutes', async () => {
  const fileSystem = createMemoryFileSystem()
  const said: unknown[] = []
  const now = calm.now()
  const log = { warn: (fields: unknown) => void said.push(fields) }
  const desk = createTableDesk({ ...calm, fileSystem, outputDirectory: '/events', log })
  await makeTable(desk.catalog)
  const { metadata } = await load(fileSystem)
  const note = (aheadMs: number): void => desk.note('/events/Click', { ...metadata, lastUpdatedMs: now + aheadMs })
  note(600_000)
  expect(said).toEqual([])
  note(600_001)
  note(86_400_000)
  expect(said).toEqual([{ table: '/events/Click', date: '2026-01-02T03:14:05.001Z' }])
  note(0)
  note(86_400_000)
  expect(said).toHaveLength(2)
})
