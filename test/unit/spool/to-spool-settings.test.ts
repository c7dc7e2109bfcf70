import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/config.ts'
import { toSpoolSettings } from '../../../src/spool/to-spool-settings.ts'

const load = (...assignments: readonly string[]) => {
  const argv = assignments.flatMap(one => ['--set', `collector.diskspool.${one}`])
  return toSpoolSettings(loadConfig({ argv, env: {}, cwd: '/d', readFile: () => '' }).settings)
}

test('a segment may be as old as the flush interval, and hold a million events for each 128 MiB', () => {
  expect(load()).toMatchObject({ maxUncommittedMs: 30_000, maxUncommittedEvents: 1_000_000, flushEnabled: true })
  expect(load('flush-interval-seconds=300')).toMatchObject({ maxUncommittedMs: 300_000, flushIntervalMs: 300_000 })
  expect(load('max-segment-bytes=1GiB').maxUncommittedEvents).toBe(8_000_000)
  expect(load('max-segment-bytes=64KiB').maxUncommittedEvents).toBe(1_000_000)
})

test('the settings of a replicated log are in the units of the spool', () => {
  const argv = ['collector.ack=replicated', 'namenode.url=hdfs://n', 'collector.replicated.takeover-seconds=40']
  const { settings } = loadConfig({ argv: argv.flatMap(one => ['--set', one]), env: {}, cwd: '/d', readFile: () => '' })
  expect(toSpoolSettings(settings)).toMatchObject({
    ack: 'replicated',
    replicated: { sync: 'hsync', replication: 3, min: 2, gatherMs: 20, takeoverMs: 40_000, whenUnavailable: 'refuse' },
  })
})

test('a table has a layout of its own', () => {
  const layoutOf = (...more: readonly string[]) => {
    const argv = more.flatMap(one => ['--set', one])
    return toSpoolSettings(loadConfig({ argv, env: {}, cwd: '/d', readFile: () => '' }).settings)
  }
  expect(layoutOf()).toMatchObject({ outputLayout: 'dated', snapshotMs: 60_000, keepSnapshotsMs: 18_000_000 })
  const table = ['collector.output.format=parquet', 'collector.output.table=iceberg']
  expect(layoutOf(...table, 'collector.output.snapshot-seconds=5')).toMatchObject({
    outputLayout: 'iceberg',
    snapshotMs: 5_000,
  })
})

test('tables are those of a catalog where one is named', () => {
  const read = (...more: readonly string[]) => {
    const argv = [...more, 'format=parquet', 'table=iceberg'].flatMap(one => ['--set', `collector.output.${one}`])
    return toSpoolSettings(loadConfig({ argv, env: {}, cwd: '/d', readFile: () => '' }).settings).catalog
  }
  expect(read()).toBeUndefined()
  expect(read('rest.scope=all')).toBeUndefined()
  const none = { warehouse: undefined, prefix: undefined, token: undefined, oauth2ServerUri: undefined }
  expect(read('catalog=https://c/iceberg/', 'namespace=lake.events', 'rest.credential=id:secret')).toEqual({
    ...none,
    uri: 'https://c/iceberg',
    namespace: ['lake', 'events'],
    credential: 'id:secret',
    scope: 'catalog',
  })
})

test('settings that are retired decide while they are given', () => {
  expect(load('flush-interval-seconds=300', 'max-uncommitted-period-seconds=60').maxUncommittedMs).toBe(60_000)
  expect(load('max-segment-bytes=1GiB', 'max-uncommitted-write-count=5').maxUncommittedEvents).toBe(5)
  expect(load('enabled=false').flushEnabled).toBe(false)
})
