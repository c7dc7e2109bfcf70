import { describe, expect, test } from 'vitest'
import type { AppendFile } from '../../../../src/disk/disk.ts'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import { nextTurn } from '../../../../src/runtime/next-turn.ts'
import { createMemoryHdfs, type MemoryHdfsOptions, whole } from '../../../suites/memory-hdfs.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'
import {
  attached,
  bytesOf,
  collectorId,
  createFault,
  createHolds,
  createWorld,
  directory,
  prepare,
  restart,
  segment,
  type World,
} from './replicated-world.ts'

const second = 'log/0000000002.log'

const add = async (file: AppendFile, text: string): Promise<number> => {
  await file.append(bytesOf(text))
  return await file.fdatasync()
}

/** A spool that could not be copied yet; HDFS is there again. */
const away = async (options: Parameters<typeof createWorld>[0] = {}) => {
  const fault = createFault()
  const fail = (...call: Parameters<NonNullable<MemoryHdfsOptions['fail']>>) =>
    fault.fail(call[0]) ?? options.fail?.(...call)
  const holds = createHolds(createMemoryHdfs({ ...options, fail }))
  const world = createWorld({ ...options, hdfs: holds.hdfs })
  await prepare(world)
  await writeSynced(world.disk, second, bytesOf('closed'))
  fault.set('*', 'before', Number.POSITIVE_INFINITY)
  await world.replica.begin(collectorId)
  expect(world.replica.state.name).toBe('away')
  fault.end()
  return { ...world, fault, holds }
}

const openLedger = async ({ disk }: Pick<World, 'disk'>, text: string): Promise<AppendFile> => {
  const file = await disk.create('ledger.new')
  await add(file, text)
  await disk.rename('ledger.new', 'ledger')
  return file
}

describe('while a copy catches up', () => {
  test('a ledger that is copied as it was does not get the name of one that has replaced it', async () => {
    const world = await away()
    const held = world.holds.hold(/^rename .*ledger.*copy/)
    const attaching = world.replica.attach()
    await held
    const opened = openLedger(world, 'new')
    // It would have its name by now.
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    world.holds.letGo()
    const ledger = await opened
    await attaching
    expect(world.replica.isInStep).toBe(true)
    expect(await world.there('ledger')).toBe('new')
    await add(ledger, ' entry')
    expect(await world.there('ledger')).toBe('new entry')
  })

  test('a ledger that gets its name is not overtaken by a copy before it has it here', async () => {
    const world = await away()
    const held = world.holds.hold(/^rename .*log-0000000002.*copy/)
    const attaching = world.replica.attach()
    await held
    const ledger = await world.disk.create('ledger.new').catch((error: Error) => error.name)
    // Without a ledger the copy is not taken: it is not to have one before the rest.
    expect(ledger).toBe('NotReplicated')
    expect(await world.there('ledger')).toBeUndefined()
    world.holds.letGo()
    await attaching
    expect(world.replica.isInStep).toBe(true)
    expect(await world.there('ledger')).toBe('ledger')
  })

  test('no ledger is there before the spool has noted that it has a copy', async () => {
    const world = await away()
    const held = world.holds.hold(/^create .*ledger/)
    const attaching = world.replica.attach()
    await held
    expect(world.local.paths).toContain('replicated')
    world.holds.letGo()
    await attaching
  })

  test('an entry of the ledger that is noted meanwhile is there once it is in step', async () => {
    const world = await away()
    const held = world.holds.hold(/^create .*ledger/)
    const attaching = world.replica.attach()
    await held
    const entry = openLedger(world, 'new').then(ledger => add(ledger, ' entry'))
    world.holds.letGo()
    await attaching
    expect(world.replica.isInStep).toBe(true)
    await entry
    expect(await world.there('ledger')).toBe('new entry')
  })

  test('a file that is closed leaves nothing open there, and is not begun anew', async () => {
    const world = await away({ settings: { whenUnavailable: 'local' } })
    const file = await world.disk.create(segment)
    await add(file, 'one')
    const held = world.holds.hold(/^create .*log-0000000001/)
    const attaching = world.replica.attach()
    await held
    await file.close()
    world.holds.letGo()
    await attaching
    await world.disk.close()
    expect(world.hdfs.openPaths()).toEqual([])
    expect(await world.there(segment)).toBe('one')
  })

  test('a file that is closed while a group of it is written anew leaves nothing open there', async () => {
    const fault = createFault()
    const holds = createHolds(createMemoryHdfs({ fail: fault.fail }))
    const { disk, hdfs, there } = await attached({ hdfs: holds.hdfs })
    const file = await disk.create(segment)
    await add(file, 'one')
    fault.set('flush', 'before')
    const held = holds.hold(/^create .*log-0000000001/)
    const group = add(file, ' two')
    await held
    const closed = file.close()
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    holds.letGo()
    await Promise.all([group, closed])
    await disk.close()
    expect([hdfs.openPaths(), await there(segment)]).toEqual([[], 'one two'])
  })

  test.for(['open', 'closed'])(
    'a group that is kept on this machine alone is there before it is in step, its file %s',
    async which => {
      let isBroken = false
      const world = await away({
        settings: { whenUnavailable: 'local' },
        fail: (_, path) => (isBroken && path.includes('log-0000000001') ? 'before' : undefined),
      })
      const file = await world.disk.create(segment)
      await add(file, 'one')
      const held = world.holds.hold(/^create .*ledger/)
      const attaching = world.replica.attach()
      await held
      expect(await world.there(segment)).toBe('one')
      isBroken = true
      await add(file, ' two')
      expect(world.replica.durability).toBe('local')
      if (which === 'closed') await file.close()
      world.holds.letGo()
      await attaching
      expect([world.replica.isInStep, world.replica.status().behindBytes]).toEqual([false, 4])
      if (which === 'open') await file.close()
      expect(world.replica.status()).toMatchObject({ behindBytes: 4 })
      isBroken = false
      await world.replica.attach()
      expect(world.replica.isInStep).toBe(true)
      expect(await world.there(segment)).toBe('one two')
    },
  )

  test('a group that is there as well is as safe as any', async () => {
    const world = await away({ settings: { whenUnavailable: 'local' } })
    const file = await world.disk.create(segment)
    await add(file, 'one')
    expect(world.replica.durability).toBe('local')
    const held = world.holds.hold(/^create .*ledger/)
    const attaching = world.replica.attach()
    await held
    await add(file, ' two')
    expect(world.replica.durability).toBe('full')
    world.holds.letGo()
    await attaching
  })

  test('a stop does not wait for all of it', async () => {
    const world = await away()
    for (let n = 3; n < 30; n++) await writeSynced(world.local, `log/${String(n).padStart(10, '0')}.log`, bytesOf('x'))
    const held = world.holds.hold(/^create .*log-/, 'all')
    const attaching = world.replica.attach()
    await held
    world.replica.stop()
    world.holds.letGo()
    await attaching
    expect([world.replica.isInStep, await world.there('log/0000000029.log')]).toEqual([false, undefined])
    await world.replica.attach()
    expect(world.replica.isInStep).toBe(false)
  })
})

describe('a file that is written anew', () => {
  test('is on as many data nodes as a group has to be', async () => {
    let copies = 1
    const world = await away({ copies: () => copies })
    await world.replica.attach()
    const reason = '1 data node has it, and collector.replicated.min is 2'
    expect([world.replica.isInStep, world.replica.state.reason]).toEqual([false, reason])
    expect(await world.there(second)).toBeUndefined()
    copies = 2
    await world.replica.attach()
    expect(world.replica.isInStep).toBe(true)
    copies = 1
    await writeSynced(world.disk, 'schemas.next', bytesOf('s'))
    await expect(world.disk.rename('schemas.next', 'schemas')).rejects.toThrow(reason)
    expect(world.local.paths).not.toContain('schemas')
  })

  test('is copied again where it is not known what became of it', async () => {
    const fault = createFault()
    const { disk, replica, there } = await attached({ fail: fault.fail })
    await writeSynced(disk, 'schemas.next', bytesOf('old'))
    await disk.rename('schemas.next', 'schemas')
    await writeSynced(disk, 'schemas.next', bytesOf('new'))
    fault.set('rename', 'after')
    await expect(disk.rename('schemas.next', 'schemas')).rejects.toThrow('away')
    expect([await there('schemas'), replica.isInStep]).toEqual(['new', false])
    await replica.attach()
    expect([await there('schemas'), replica.isInStep]).toEqual(['old', true])
  })
})

test('a change that the local disk breaks off is taken back there', async () => {
  let isFull = false
  const local = createTearingDisk({
    fail: (operation, path) => (isFull && operation === 'rename' ? new Error(`no room for ${path}`) : undefined),
  })
  const { disk, replica, there } = await attached({ local })
  const next = await disk.create('ledger.new')
  await add(next, 'longer than it was')
  isFull = true
  await expect(disk.rename('ledger.new', 'ledger')).rejects.toThrow('no room')
  await next.close()
  expect(await there('ledger')).toBe('longer than it was')
  await replica.attach()
  expect([await there('ledger'), replica.isInStep]).toEqual(['ledger', true])
})

test('what another thread has written is there once it is synced; what is cut is cut there', async () => {
  const fault = createFault()
  const { disk, local, replica, there } = await attached({ fail: fault.fail })
  await writeSynced(local, 'schemas', bytesOf('learned'))
  fault.set('create', 'before')
  await expect(disk.fsync('schemas')).rejects.toThrow('away')
  expect([await there('schemas'), replica.isInStep]).toEqual([undefined, false])
  await replica.attach()
  expect([await there('schemas'), replica.isInStep]).toEqual(['learned', true])
  await disk.truncate('schemas', 5)
  expect(await there('schemas')).toBe('learn')
})

test('a small file of the same length that an earlier process wrote is not taken for the one that is here', async () => {
  const world = await attached()
  await world.hdfs.memory.create(`${directory}/id`, whole(bytesOf('ab')), { overwrite: true })
  const next = restart(world)
  await next.begin(collectorId)
  expect(next.isInStep).toBe(true)
  expect(await world.there('id')).toBe('id')
})

test('a segment may be there until the directory was looked at', async () => {
  const { replica } = await away()
  expect([replica.segments.has(7), replica.segments.has(2)]).toEqual([true, true])
  await replica.attach()
  expect([replica.segments.has(7), replica.segments.has(2)]).toEqual([false, true])
})

test('a segment that comes to the copy later is known to stand there', async () => {
  const world = createWorld()
  await prepare(world)
  await writeSynced(world.local, segment, bytesOf('events'))
  await world.replica.begin(collectorId)
  await world.replica.attach()
  expect([await world.there(segment), world.replica.segments.has(1), world.replica.segments.has(2)]).toEqual([
    'events',
    true,
    false,
  ])
})
