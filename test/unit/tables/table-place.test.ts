import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLocalFileSystem } from '../../../src/filesystem/local.ts'
import { createMountTable } from '../../../src/filesystem/mounts.ts'
import { originOf, placeTable } from '../../../src/tables/table-place.ts'

test.each([
  ['hdfs://nn:8020', '/events/Click', 'hdfs://nn:8020/events/Click'],
  ['hdfs://nn:8020/', '/events/Click', 'hdfs://nn:8020/events/Click'],
  ['hdfs://ha', '/a b/Click%3F', 'hdfs://ha/a b/Click%3F'],
  ['file:///', '/events/Click', 'file:///events/Click'],
  ['file:///data', '/events/Click', 'file:///data/events/Click'],
  ['file:///a%20%25b/', '/events/Click', 'file:///a %b/events/Click'],
  ['memory:///', '/events/Click', 'memory:///events/Click'],
])('a table in %s at %s is %s', (url, path, location) => {
  expect(placeTable({ url }, path)).toEqual({ path, location })
})

test('a file system whose address is no URL has no place for a table', () => {
  expect(() => placeTable({ url: 'nn:8020' }, '/Click')).toThrow('expected a URL of the file system, found "nn:8020"')
})

test('a table is in the file system of its mount, below the root of that one; alone it is called the same', async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice place %41 '))
  onTestFinished(() => rm(root, { recursive: true }))
  const local = await createLocalFileSystem({ root })
  const elsewhere = { ...local, url: 'hdfs://far:8020' }
  const both = createMountTable(local, [{ path: '/far', fileSystem: elsewhere }])
  expect(placeTable(both, '/events/Click')).toEqual({ path: '/events/Click', location: `file://${root}/events/Click` })
  expect(placeTable(local, '/events/Click')).toEqual(placeTable(both, '/events/Click'))
  expect(placeTable(both, '/far/Click')).toEqual({ path: '/far/Click', location: 'hdfs://far:8020/Click' })
})

test.each([
  ['hdfs://nn:8020/a', 'hdfs://nn:8020'],
  ['HDFS://NN/a', 'hdfs://nn'],
  ['file:/a', 'file://'],
  ['file:///a', 'file://'],
  ['s3://bucket', 's3://bucket'],
  ['/a://b', ''],
])('before its path %s has %j', (uri, origin) => expect(originOf(uri)).toBe(origin))
