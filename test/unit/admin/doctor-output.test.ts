import { expect, onTestFinished, test } from 'vitest'
import { checkListed, checkOutput } from '../../../admin/cli/doctor/file-system.ts'
import { createMountTable, type MountTable } from '../../../src/filesystem/mounts.ts'
import { createS3FileSystem } from '../../../src/filesystem/s3.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { type FakeS3, type FakeS3Options, startFakeS3, testEnv } from '../../suites/s3/fake-s3.ts'

const open = async (options: FakeS3Options = {}): Promise<{ readonly table: MountTable; readonly store: FakeS3 }> => {
  const store = await startFakeS3(options)
  const how = { endpoint: store.endpoint, region: 'r', env: testEnv, maxRetries: 0 }
  const fileSystem = await createS3FileSystem({ url: 's3://bucket/lake', ...how })
  onTestFinished(async () => {
    await fileSystem.close()
    await store.close()
  })
  return { table: createMountTable(createMemoryFileSystem(), [{ path: '/far', fileSystem }]), store }
}

test('a store is tried as a collector uses it, and nothing is left', async () => {
  const { table, store } = await open()
  const checks = await checkOutput(table, '/far/events', false)
  expect(checks.map(({ name, code }) => `${name}: ${code}`)).toEqual([
    'list /far: ok',
    'mkdir /far/events: ok',
    'write, read: ok',
    'delete: ok',
    'condition: ok',
  ])
  expect([store.stored.keys(), store.stored.uploads.size]).toEqual([[], 0])
})

test('a store that does not look at the condition fails, with what to do', async () => {
  const { table } = await open({ ignoresCondition: true })
  const last = (await checkOutput(table, '/far/events', false)).at(-1)
  expect(last).toMatchObject({
    name: 'condition',
    code: 'fail',
    message: expect.stringContaining('use a store that does'),
  })
})

test('a store that does not look at the condition does for tables in a catalog; one that is away does not', async () => {
  const { table, store } = await open({ ignoresCondition: true })
  const codes = async (): Promise<readonly string[]> =>
    (await checkOutput(table, '/far/events', true)).map(({ name, code }) => `${name}: ${code}`)
  expect((await codes()).slice(-3)).toEqual(['write, read: ok', 'delete: ok', 'condition: ok'])
  expect(store.stored.keys()).toEqual([])
  const other = await open({ ignoresCondition: true })
  other.store.fault = ({ method, headers }) =>
    method === 'POST' || headers['if-none-match'] ? { status: 503 } : undefined
  const last = (await checkOutput(other.table, '/far/events', true)).at(-1)
  expect(last).toMatchObject({ name: 'condition', code: 'fail' })
})

test.for(['GET', 'PUT', 'POST', 'DELETE'])('advice for a store that refuses %s is of stores', async refused => {
  const { table, store } = await open()
  store.fault = ({ method }) => (method === refused ? { status: 403 } : undefined)
  const checks = [
    ...(await checkOutput(table, '/far/events', false)),
    ...(await checkListed(table, '/far', 'mount /far')),
  ]
  const failed = checks.filter(({ code }) => code === 'fail')
  expect(failed.length).toBeGreaterThan(0)
  for (const { advice } of failed) {
    expect(advice).toMatch(/^Give its keys the rights on s3:\/\/bucket\/lake that docs\/object-stores\.md lists/)
    expect(advice).not.toMatch(/hdfs|node/i)
  }
})
