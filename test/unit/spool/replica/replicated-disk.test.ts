import { expect, onTestFinished, test, vi } from 'vitest'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import { createMemoryHdfs, type MemoryHdfs, whole } from '../../../suites/memory-hdfs.ts'
import {
  attached,
  bytesOf,
  collectorId,
  createFault,
  createWorld,
  directory,
  prepare,
  restart,
  segment,
} from './replicated-world.ts'

test('nothing is copied before the spool is recovered; then all of it is, the ledger last', async () => {
  const created: string[] = []
  const hdfs = createMemoryHdfs({
    fail: (operation, path) => {
      if (operation === 'rename') created.push(path.replace(/^.*\/(.*?)\.[\da-f]+-\d+\.copy$/, '$1'))
      return undefined
    },
  })
  const world = createWorld({ hdfs })
  await prepare(world)
  await writeSynced(world.disk, segment, bytesOf('one'))
  await writeSynced(world.disk, 'keys/0000000001.keys', bytesOf('keys'))
  await writeSynced(world.disk, 'lists', bytesOf('not copied'))
  expect(await hdfs.contents(directory)).toBeUndefined()
  await world.replica.attach()
  expect(world.replica.state.name).toBe('unproven')
  expect(world.replica.refusal).not.toBe('')
  await world.replica.begin(collectorId)
  expect(world.replica).toMatchObject({ refusal: '', durability: 'full' })
  expect(created.at(-1)).toBe('ledger')
  expect(created.toSorted()).toEqual(['id', 'keys-0000000001.keys', 'ledger', 'log-0000000001.log'])
  expect((await hdfs.getFileStatus(directory)).permission).toBe(0o700)
  expect(await world.there(segment)).toBe('one')
})

test('what is safe is safe in both, and what is renamed is there first', async () => {
  const { disk, there, local, replica } = await attached()
  const file = await disk.create(segment)
  await file.append(bytesOf('one '))
  await file.append(bytesOf('two'))
  expect(await file.fdatasync()).toBe(7)
  expect([await there(segment), replica.copies]).toEqual(['one two', 3])

  const ledger = await disk.create('ledger.new')
  await ledger.append(bytesOf('new'))
  await ledger.fdatasync()
  expect(await there('ledger')).toBe('ledger')
  await disk.rename('ledger.new', 'ledger')
  expect(await there('ledger')).toBe('new')
  await ledger.append(bytesOf(' entry'))
  await ledger.fdatasync()
  expect(await there('ledger')).toBe('new entry')
  expect(new TextDecoder().decode(local.contents('ledger'))).toBe('new entry')

  // A segment stays there, and a file of another kind goes.
  await file.close()
  await disk.unlink(segment)
  expect(await there(segment)).toBe('one two')
  await disk.unlink('id')
  expect(await there('id')).toBeUndefined()
})

test.for(
  ['create', 'write', 'flush', 'rename'].flatMap(operation => [
    [operation, 'before'] as const,
    [operation, 'after'] as const,
  ]),
)('a group whose %s fails, %s it takes effect, goes on in a new file', async ([operation, when]) => {
  const fault = createFault()
  const { disk, there, replica } = await attached({ fail: fault.fail })
  const file = await disk.create(segment)
  for (let n = 0; n < 5; n++) {
    fault.set(n % 2 === 0 ? 'none' : operation, when)
    await file.append(bytesOf(`${n}`))
    expect(await file.fdatasync()).toBe(n + 1)
    expect(await there(segment)).toBe('01234'.slice(0, n + 1))
  }
  expect(replica.state.name).toBe('in-step')
})

test('HDFS that stays away: the group is refused, nothing else is noted, and all is there once it is back', async () => {
  const fault = createFault()
  const { disk, there, replica } = await attached({ fail: fault.fail })
  const file = await disk.create(segment)
  await file.append(bytesOf('one'))
  await file.fdatasync()
  fault.set('*', 'before', Number.POSITIVE_INFINITY)
  await file.append(bytesOf('two'))
  await expect(file.fdatasync()).rejects.toThrow('is not replicated')
  expect(replica.state.name).toBe('away')
  // Nothing is acknowledged on this machine alone, and what was refused is there alone.
  expect([replica.refusal, replica.durability]).toEqual([expect.stringContaining('away'), 'full'])
  expect(replica.status()).toMatchObject({ behindBytes: 3 })
  await expect(disk.create('ledger.new')).rejects.toThrow('is not replicated')
  await replica.attach()
  expect(replica.state.name).toBe('away')
  fault.end()
  // The group was never acknowledged, and cannot be taken back there yet.
  await file.close()
  await expect(disk.truncate(segment, 3)).rejects.toThrow('is not replicated')
  await replica.attach()
  expect([replica.state.name, replica.refusal, replica.status().behindBytes]).toEqual(['in-step', '', 0])
  expect(await there(segment)).toBe('one')
})

test('events that are taken while HDFS is away stand there once it is back', async () => {
  const fault = createFault()
  const { disk, there, replica } = await attached({ fail: fault.fail, settings: { whenUnavailable: 'local' } })
  const open = await disk.create(segment)
  await open.append(bytesOf('one'))
  await open.fdatasync()
  fault.set('*', 'before', Number.POSITIVE_INFINITY)
  await open.append(bytesOf(' two'))
  expect(await open.fdatasync()).toBe(7)
  replica.onKept(5)
  expect([replica.refusal, replica.durability]).toEqual(['', 'local'])
  expect(replica.status()).toMatchObject({ behindBytes: 4, localEvents: 5 })
  // The ledger decides what is committed: that waits.
  await expect(writeSynced(disk, 'schemas', bytesOf('x'))).rejects.toThrow('is not replicated')
  const second = await disk.create('log/0000000002.log')
  await second.append(bytesOf('closed'))
  await second.fdatasync()
  await second.close()
  expect(replica.status()).toMatchObject({ behindBytes: 10 })
  fault.end()
  await replica.attach()
  expect(replica.isInStep).toBe(true)
  expect(replica.status()).toMatchObject({ behindBytes: 0 })
  expect([await there(segment), await there('log/0000000002.log')]).toEqual(['one two', 'closed'])
  await open.append(bytesOf(' three'))
  await open.fdatasync()
  replica.onKept(7)
  expect([await there(segment), replica.durability]).toEqual(['one two three', 'full'])
  expect(replica.status()).toMatchObject({ localEvents: 5 })
  fault.set('*', 'before', Number.POSITIVE_INFINITY)
  await open.append(bytesOf('!'))
  await open.fdatasync()
  expect(replica.status()).toMatchObject({ behindBytes: 1 })
})

test('a group that too few data nodes have is not acknowledged', async () => {
  let copies = 3
  const { disk, replica } = await attached({ copies: () => copies })
  const file = await disk.create(segment)
  await file.append(bytesOf('one'))
  copies = 1
  await expect(file.fdatasync()).rejects.toThrow('is not replicated')
  expect(replica.state.reason).toBe('1 data node has it, and collector.replicated.min is 2')
})

test('whose directory is taken writes nothing more, here or there', async () => {
  const { disk, hdfs, replica, fenced, local } = await attached()
  const file = await disk.create(segment)
  await file.append(bytesOf('one'))
  await file.fdatasync()
  await hdfs.directories?.rename(directory, `${directory}.taker`)
  for (const path of hdfs.openPaths()) await hdfs.appends?.recoverLease(path)
  await file.append(bytesOf('two'))
  await expect(file.fdatasync()).rejects.toThrow('is not replicated')
  expect([replica.state.name, fenced()]).toEqual(['fenced', 1])
  expect(replica.refusal).toContain('taken over')
  const before = local.safeFiles()
  await expect(disk.create('sealed/x')).rejects.toThrow('is not replicated')
  await expect(disk.rename('ledger', 'other')).rejects.toThrow('is not replicated')
  await expect(disk.unlink('ledger')).rejects.toThrow('is not replicated')
  await replica.attach()
  expect(replica.state.name).toBe('fenced')
  expect(local.safeFiles()).toEqual(before)
  expect(await hdfs.contents(directory)).toBeUndefined()
})

test('a start whose copy is gone was taken over; one that has none yet makes it', async () => {
  const world = await attached()
  await world.hdfs.delete(directory, { recursive: true })
  const again = restart(world)
  await again.begin(collectorId)
  await again.attach()
  expect(again.state.name).toBe('fenced')
})

test('a start whose copy is longer, shorter or missing writes it anew', async () => {
  const world = await attached()
  for (const [number, text] of [
    [1, 'same'],
    [2, 'shorter'],
    [3, 'missing'],
    [4, 'longer'],
  ] as const) {
    await writeSynced(world.disk, `log/000000000${number}.log`, bytesOf(text))
  }
  await world.hdfs.memory.create(`${directory}/log-0000000002.log`, whole(bytesOf('short')), { overwrite: true })
  await world.hdfs.memory.delete(`${directory}/log-0000000003.log`)
  await world.hdfs.memory.create(`${directory}/log-0000000004.log`, whole(bytesOf('much longer')), { overwrite: true })
  await world.hdfs.memory.create(`${directory}/log-0000000004.log.7.copy`, whole(bytesOf('left')))
  const next = restart(world)
  await next.begin(collectorId)
  await next.attach()
  const read = (number: number): Promise<string | undefined> => world.there(`log/000000000${number}.log`)
  expect(await Promise.all([1, 2, 3, 4].map(read))).toEqual(['same', 'shorter', 'missing', 'longer'])
  expect(await world.hdfs.contents(`${directory}/log-0000000004.log.7.copy`)).toBeUndefined()
})

test('a start does not wait for a copy that takes long, and the directory is ours meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const hdfs = createMemoryHdfs()
  const hanging = Promise.withResolvers<void>()
  const listStatus: MemoryHdfs['listStatus'] = async function* (path) {
    await hanging.promise
    yield* hdfs.listStatus(path)
  }
  const world = createWorld({ hdfs: { ...hdfs, listStatus } })
  await prepare(world)
  expect(world.replica.isOurs).toBe(false)
  const begun = world.replica.begin(collectorId)
  await vi.advanceTimersByTimeAsync(5_000)
  await begun
  expect([world.replica.isOurs, world.replica.isInStep]).toEqual([true, false])
  hanging.resolve()
  await world.replica.attach()
  expect(world.replica.isInStep).toBe(true)
  world.replica.fence('taken')
  expect(world.replica.isOurs).toBe(false)
})
