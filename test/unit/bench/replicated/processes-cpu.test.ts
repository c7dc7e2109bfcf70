import { expect, test } from 'vitest'
import { readProcesses, toProcessesText, totalUs, toUsOfEach } from '../../../bench/replicated/processes-cpu.ts'

test('toUsOfEach: what each process took between two looks, of one of so many events', () => {
  const before = { Sluice: 10, NameNode: 2.5 }
  const after = { Sluice: 10.5, NameNode: 2.5, 'DataNode 1': 0.25 }
  expect(toUsOfEach(before, after, 1_000)).toEqual({ Sluice: 500, NameNode: 0, 'DataNode 1': 250 })
  expect(toUsOfEach(before, after, 0)).toMatchObject({ Sluice: 500_000 })
})

test('totalUs: all processes together', () => {
  expect(totalUs({ Sluice: 20.5, 'DataNode 1': 4, 'DataNode 2': 3.5 })).toBe(28)
  expect(totalUs({})).toBe(0)
})

test('toProcessesText: each with its name, in their order', () => {
  expect(toProcessesText({ Sluice: 20.46, NameNode: 0 })).toBe('Sluice 20.5, NameNode 0.0 µs')
})

test('readProcesses: each by its own process, and nothing of one that is gone', () => {
  const { own = 0, gone } = readProcesses({ own: process.pid, gone: 2 ** 30 })
  expect(own).toBeGreaterThan(0)
  expect(gone).toBe(0)
})
