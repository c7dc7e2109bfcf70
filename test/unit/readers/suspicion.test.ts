import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isSuspect, toVersion } from '../../../src/readers/suspicion.ts'
import { openBytes } from '../rows/files.ts'

const megabyte = 2 ** 20

test.each([
  ['that does not say', { size: 100 }, false],
  ['that compresses well', { size: 10 * megabyte, unfolded: 400 * megabyte }, false],
  ['that is small anyhow', { size: 100, unfolded: megabyte }, false],
  ['far beyond its size', { size: megabyte, unfolded: 100 * megabyte }, true],
  ['of a run without end', { size: 139, unfolded: 2 ** 31 }, true],
])('a file %s', (_, sizes, want) => {
  expect(isSuspect({ path: '/x', modified: 1, ...sizes })).toBe(want)
})

test('a rewritten file is another one', () => {
  const file = { path: '/x', size: 1, modified: 1 }
  const versions = [file, { ...file, path: '/y' }, { ...file, size: 2 }, { ...file, modified: 2 }].map(toVersion)
  expect(new Set(versions).size).toBe(4)
})

test('a footer says how much there is, in bytes and in values', async () => {
  const swell = readFileSync('test/fuzz/corpus/parquet/many-rows.bin')
  const { unfolded = 0 } = await openBytes('x.parquet', swell)
  expect(isSuspect({ path: '/x', modified: 1, size: swell.length, unfolded })).toBe(true)
  const plain = readFileSync('test/fixtures/rows/types.parquet')
  const found = await openBytes('x.parquet', plain)
  expect(found.unfolded).toBeGreaterThan(0)
  expect(isSuspect({ path: '/x', modified: 1, size: plain.length, unfolded: found.unfolded })).toBe(false)
})
