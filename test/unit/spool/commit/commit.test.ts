import { describe, expect, test } from 'vitest'
import { hadoopOf } from '../../../../src/filesystem/facets.ts'
import { type FileSystem, FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { releaseFiles } from '../../../../src/spool/quarantine/quarantine.ts'
import { takeSpool } from '../../../../src/spool/tool/offline.ts'
import { createWorld, seededRandom, type World } from '../../../suites/crash-world.ts'
import { listNames } from '../../../suites/filesystem.ts'
import { allIsWell } from '../../../suites/ledger-of-client.ts'
import type { MemoryFault, MemoryOperation } from '../../../suites/memory-filesystem.ts'
import { readFiles } from '../../../suites/spool.ts'

/** Two buckets in one segment, taken to the file system by one beat. */
const fill = async (world: World): Promise<void> => {
  await Promise.all([world.append(2, { name: 'One' }), world.append(3, { name: 'Two' })])
  world.clock.ms += 30_000
}

const foreignFile = '/events/_tmp/somebody-else/file'

const createForeign = (fileSystem: FileSystem, path: string): Promise<void> =>
  write(fileSystem, path, Buffer.from('not ours'))

/** Everything in its place once, nothing of ours left over, nothing of others touched, the books balance. */
const expectWell = async (world: World): Promise<void> => {
  await world.calm()
  expect(await world.verdict()).toEqual(allIsWell)
  const { collectorId, ...stats } = world.spool().stats()
  expect(await listNames(world.fileSystem, `/events/_tmp/${collectorId}`)).toEqual([])
  await world.fileSystem.getFileStatus(foreignFile)
  expect(stats).toMatchObject({ totalFlushedEvents: 5, pendingEvents: 0, openEvents: 0, quarantinedEvents: 0 })
}

/** The calls that one commit makes, in order. */
const callsOfOneCommit = async (): Promise<MemoryOperation[]> => {
  const world = await createWorld()
  await world.beat()
  await fill(world)
  const calls: MemoryOperation[] = []
  world.faults.fileSystem = operation => void calls.push(operation)
  await world.beat()
  return calls
}

const calls = await callsOfOneCommit()

const faults: readonly (readonly [string, (path: string) => MemoryFault])[] = [
  ['refused as unavailable', path => new FileSystemError('unavailable', path, 'away')],
  ['refused as not-found', path => new FileSystemError('not-found', path, 'a late retry of the same call')],
  ['carried out, its reply lost', () => 'lost-reply'],
  ['carried out by half', () => 'torn'],
  ['reported as done, with half of the bytes', () => 'short'],
  ['refused, while what was accepted before is cut', () => 'cut'],
]

describe('R7: a commit', () => {
  test('is CREATE, a look at the length, RENAME, for each file', () => {
    expect([...calls].sort()).toEqual(['create', 'create', 'getFileStatus', 'getFileStatus', 'rename', 'rename'])
  })

  for (const [index, operation] of calls.entries()) {
    for (const [fault, toFault] of faults) {
      test.each(['goes on', 'kill', 'power cut'] as const)(
        `call ${index + 1} (${operation}) ${fault}, then: %s`,
        async then => {
          const world = await createWorld()
          await createForeign(world.fileSystem, foreignFile)
          // Looks for strays, so that what follows are the calls of the commits.
          await world.beat()
          await fill(world)
          let call = 0
          world.faults.fileSystem = (made, path) => {
            if (call++ !== index) return undefined
            expect(made).toBe(operation)
            if (then !== 'goes on') world.stop(then, () => 0.7)
            return toFault(path)
          }
          await world.beat()
          expect(call).toBeGreaterThan(index)
          if (then !== 'goes on') await world.start()
          await expectWell(world)
        },
      )
    }
  }

  test('every pair of lost replies is survived', async () => {
    for (let first = 0; first < 8; first++) {
      for (let second = first + 1; second < 12; second++) {
        const world = await createWorld()
        await createForeign(world.fileSystem, foreignFile)
        await fill(world)
        let call = 0
        world.faults.fileSystem = () => (++call === first || call === second ? 'lost-reply' : undefined)
        await world.beat()
        await expectWell(world)
      }
    }
  })

  test('the local copies go in an order that can stop anywhere', async () => {
    for (const how of ['kill', 'power cut'] as const) {
      for (let at = 1, done = false; !done; at++) {
        const world = await createWorld({ settings: { keepCommittedMs: 1_000 } })
        await createForeign(world.fileSystem, foreignFile)
        await fill(world)
        await world.beat()
        world.clock.ms += 2_000
        let operations = 0
        world.faults.disk = () => {
          if (++operations === at) world.stop(how, seededRandom(at))
          return undefined
        }
        await world.beat()
        done = operations < at
        world.faults.disk = undefined
        if (!done) await world.start()
        await expectWell(world)
        // Neither left there permanently, nor taken for an unknown file.
        expect(world.disk().paths.filter(path => path.endsWith('.jsonl'))).toEqual([])
      }
    }
  })

  test('files are 0644', async () => {
    const world = await createWorld()
    await fill(world)
    await world.beat()
    const files = [...(await readFiles(world.fileSystem)).keys()]
    const permissions = await Promise.all(
      files.map(async path => (await world.fileSystem.getFileStatus(path)).permission),
    )
    expect(permissions).toEqual([0o644, 0o644])
  })

  test('while the file system is unavailable a pass tries the files that it has begun, and no further ones', async () => {
    const world = await createWorld()
    for (let i = 0; i < 20; i++) await world.append(1, { name: `Type${i}` })
    world.clock.ms += 30_000
    let tries = 0
    world.faults.fileSystem = (operation, path) => {
      if (operation === 'create') tries++
      return new FileSystemError('unavailable', path, 'away')
    }
    await world.beat()
    expect(tries).toBeGreaterThan(0)
    expect(tries).toBeLessThanOrEqual(4)
  })

  test('ends well when the process stops at any operation of the disk', async () => {
    for (const how of ['kill', 'power cut'] as const) {
      for (let at = 1, done = false; !done; at++) {
        const world = await createWorld()
        await createForeign(world.fileSystem, foreignFile)
        await fill(world)
        let operations = 0
        world.faults.disk = () => {
          if (++operations === at) world.stop(how, seededRandom(at))
          return undefined
        }
        await world.beat()
        done = operations < at
        if (!done) await world.start()
        await expectWell(world)
      }
    }
  })

  const foreigners: readonly (readonly [string, boolean, (ours: Buffer) => Buffer])[] = [
    ['with nothing in it', false, () => Buffer.alloc(0)],
    ['without our last byte', false, ours => ours.subarray(0, -1)],
    ['with a byte behind ours', false, ours => Buffer.concat([ours, Buffer.from('\n')])],
    ['with another first bit', true, ours => flipBit(ours, 0)],
    ['with another last bit', true, ours => flipBit(ours, 8 * ours.length - 1)],
  ]
  test.each(foreigners)('a target that is not ours is left alone: one %s', async (_, isRead, toForeign) => {
    const world = await createWorld()
    await createForeign(world.fileSystem, foreignFile)
    await fill(world)
    const target = `/events/One/2026/01/02/03/20260102T030405.000Z-${world.spool().stats().collectorId}-1-0.jsonl`
    const foreign = toForeign(contentOfOne)
    let reads = 0
    let isThere = false
    world.faults.fileSystem = (operation, path) => {
      if (operation === 'open' && path === target) reads++
      // Any other writer: it acts between our CREATE and our RENAME.
      if (operation === 'getFileStatus' && path.includes('-1-0.jsonl.') && !isThere) {
        isThere = true
        void write(world.fileSystem, target, foreign)
      }
      return undefined
    }
    await world.beat()
    expect(world.spool().stats()).toMatchObject({ quarantinedFiles: 1, quarantinedEvents: 2, flushedEvents: 3 })
    // One of another length may have terabytes.
    expect(reads > 0).toBe(isRead)
    world.faults.fileSystem = undefined
    expect(Buffer.from((await readFiles(world.fileSystem)).get(target) ?? [])).toEqual(foreign)
    await world.fileSystem.delete(target)
    await expectWell(world)
    expect(Buffer.from((await readFiles(world.fileSystem)).get(target) ?? [])).toEqual(contentOfOne)
  })

  test.each(['cut', 'longer'] as const)(
    'a temporary file that is %s at the start is sent again, not renamed',
    async how => {
      const world = await createWorld()
      await createForeign(world.fileSystem, foreignFile)
      await fill(world)
      const isFirst = (path: string): boolean => path.includes('-1-0.jsonl.')
      let temporary = ''
      world.faults.fileSystem = (operation, path) => {
        if (operation !== 'rename' || !isFirst(path)) return undefined
        temporary = path
        world.stop('kill', seededRandom(1))
        return new FileSystemError('unavailable', path, 'away')
      }
      await world.beat()
      const other = how === 'cut' ? contentOfOne.subarray(0, -1) : Buffer.concat([contentOfOne, Buffer.from('\n')])
      world.faults.fileSystem = undefined
      await world.fileSystem.delete(temporary)
      await write(world.fileSystem, temporary, other)
      const renamed: string[] = []
      world.faults.fileSystem = (operation, path) => {
        if (operation === 'rename') renamed.push(path)
        return undefined
      }
      // Its next temporary name is another one.
      world.clock.ms++
      await world.start()
      await world.beat()
      await expectWell(world)
      expect(renamed.filter(isFirst)).toHaveLength(1)
      expect(renamed).not.toContain(temporary)
    },
  )

  test('a file that is found in its place at the start is not renamed again', async () => {
    const world = await createWorld()
    await createForeign(world.fileSystem, foreignFile)
    await fill(world)
    let renames = 0
    world.faults.fileSystem = (operation, path) => {
      if (!isRename(operation, path)) return undefined
      if (renames++ === 0) world.stop('kill', seededRandom(1))
      return 'lost-reply'
    }
    await world.beat()
    await world.start()
    await world.beat()
    await expectWell(world)
    expect(renames).toBe(1)
  })

  test.each(['goes on', 'kill', 'power cut'] as const)(
    'a lost reply is not mistaken for a refusal when looking at the target is refused (%s)',
    async then => {
      const world = await createWorld()
      await createForeign(world.fileSystem, foreignFile)
      await fill(world)
      world.faults.fileSystem = (operation, path) => {
        if (operation === 'rename') return 'lost-reply'
        const isTarget = operation === 'getFileStatus' && !path.includes('/_tmp/')
        if (isTarget && then !== 'goes on' && world.generation === 0) world.stop(then, seededRandom(1))
        return isTarget ? new FileSystemError('denied', path, 'denied') : undefined
      }
      await world.beat()
      if (then !== 'goes on') await world.start()
      world.clock.ms += 2_000
      await world.beat()
      expect(world.spool().stats().quarantinedFiles).toBe(0)
      expect(await world.verdict()).toEqual(allIsWell)
      // Sent once more, it would now be there twice.
      await world.fileSystem.delete('/events/One', { recursive: true })
      await world.calm()
      expect(await world.found()).toEqual([2, 3, 4])
    },
  )

  test.each(['goes on', 'kill', 'power cut'] as const)(
    'a file that waits for its RENAME is no stray, however long it waits (%s)',
    async then => {
      const world = await createWorld()
      await createForeign(world.fileSystem, foreignFile)
      await fill(world)
      let isUploaded = false
      world.faults.fileSystem = (operation, path) => {
        // Uploads and their looks go well; after them only listing and deleting do.
        if (operation === 'rename') isUploaded = true
        const isAway = isUploaded && (operation === 'rename' || operation === 'getFileStatus')
        return isAway ? new FileSystemError('unavailable', path, 'away') : undefined
      }
      await world.beat()
      if (then !== 'goes on') {
        world.stop(then, seededRandom(3))
        await world.start()
      }
      for (let hour = 0; hour < 3; hour++) {
        world.clock.ms += 3_700_000
        await world.beat()
      }
      expect(world.spool().stats().pendingFiles).toBe(2)
      await expectWell(world)
    },
  )

  test.each(['goes on', 'kill', 'power cut'] as const)(
    'a file that stands neither here nor there after a RENAME without answer is kept for a person to decide (%s)',
    async then => {
      const world = await createWorld()
      await createForeign(world.fileSystem, foreignFile)
      await fill(world)
      let renamed = ''
      world.faults.fileSystem = (operation, path) => {
        if (operation === 'rename' && path.includes('-1-0.')) {
          renamed = path
          return 'lost-reply'
        }
        if (operation === 'getFileStatus' && path === renamed) {
          void world.fileSystem.delete('/events/One', { recursive: true })
          if (then !== 'goes on') world.stop(then, seededRandom(1))
        }
        return undefined
      }
      await world.beat()
      if (then !== 'goes on') await world.start()
      await world.calm()
      expect(renamed).not.toBe('')
      expect((await world.found()).length).toBe(3)
      await expectTaken(world, 2)
      // Not even when everything is requested: its consumer may have it.
      await world.call(spool => spool.processLeftBelowFiles())
      expect((await world.found()).length).toBe(3)
      await expectTaken(world, 2)
    },
  )

  // Where it vanishes, how the process continues, and the expected state of the file.
  const vanishings: readonly (readonly [string, 'goes on' | 'kill' | 'power cut', 'sent again' | 'taken', Moment])[] = [
    ['before its length is compared', 'goes on', 'sent again', isTemporaryLook],
    ['before its length is compared', 'kill', 'sent again', isTemporaryLook],
    ['before its length is compared', 'power cut', 'sent again', isTemporaryLook],
    ['when its RENAME is sent', 'goes on', 'sent again', isRename],
    ['when its RENAME is sent', 'kill', 'taken', isRename],
    ['when its RENAME is sent', 'power cut', 'taken', isRename],
  ]
  test.each(vanishings)('what vanishes below _tmp %s, then %s: %s', async (_, then, what, moment) => {
    const world = await createWorld()
    await createForeign(world.fileSystem, foreignFile)
    await fill(world)
    world.faults.fileSystem = (operation, path) => {
      if (!moment(operation, path)) return undefined
      world.faults.fileSystem = undefined
      void world.fileSystem.delete(path)
      if (then !== 'goes on') world.stop(then, seededRandom(1))
      return undefined
    }
    await world.beat()
    if (then !== 'goes on') await world.start()
    if (what === 'sent again') return await expectWell(world)
    await world.calm()
    expect((await world.found()).length).toBe(3)
    await expectTaken(world, 2)
    world.stop('kill', seededRandom(1))
    await world.start()
    await expectTaken(world, 2)
    world.stop('kill', seededRandom(1))
    await release(world)
    await world.start()
    await expectWell(world)
  })

  test('what vanishes each time is not lost, and comes once it stays', async () => {
    const world = await createWorld()
    await createForeign(world.fileSystem, foreignFile)
    await fill(world)
    for (let hour = 0; hour < 3; hour++) {
      world.faults.fileSystem = (operation, path) => {
        if (operation === 'rename') void world.fileSystem.delete(path)
        return undefined
      }
      await world.beat()
      expect(world.spool().stats()).toMatchObject({ pendingFiles: 2, takenFiles: 0, totalFlushedEvents: 0 })
      world.clock.ms += 3_700_000
    }
    await expectWell(world)
  })

  test('a RENAME that was refused after one without answer tells nothing of the first', async () => {
    const world = await createWorld()
    await createForeign(world.fileSystem, foreignFile)
    await fill(world)
    let renames = 0
    world.faults.fileSystem = (operation, path) => {
      if (operation !== 'rename' || !path.includes('-1-0.') || renames++ > 1) return undefined
      if (renames === 1) return new FileSystemError('unavailable', path, 'away')
      void world.fileSystem.delete(path)
      return undefined
    }
    await world.beat()
    await world.calm()
    await expectTaken(world, 2)
  })

  test('a RENAME that a later process sends, and that is refused, tells nothing of the one before the crash', async () => {
    const world = await createWorld()
    await createForeign(world.fileSystem, foreignFile)
    await fill(world)
    world.faults.fileSystem = (operation, path) => {
      if (!isRename(operation, path)) return undefined
      if (world.generation === 0) {
        world.stop('kill', seededRandom(1))
        return new FileSystemError('unavailable', path, 'away')
      }
      void world.fileSystem.delete(path)
      return undefined
    }
    await world.beat()
    await world.start()
    await world.beat()
    await world.calm()
    await expectTaken(world, 2)
  })

  test('a crash after a refused RENAME whose file is gone: sent again, for the ledger knows of the refusal', async () => {
    const world = await createWorld()
    await createForeign(world.fileSystem, foreignFile)
    await fill(world)
    let isRefused = false
    world.faults.fileSystem = (operation, path) => {
      if (operation === 'rename' && path.includes('-1-0.')) {
        isRefused = true
        void world.fileSystem.delete(path)
      } else if (operation === 'create' && isRefused && path.includes('-1-0.')) world.stop('kill', seededRandom(1))
      return undefined
    }
    await world.beat()
    world.faults.fileSystem = undefined
    await world.start()
    await expectWell(world)
  })
})

type Moment = (operation: MemoryOperation, path: string) => boolean

function isTemporaryLook(operation: MemoryOperation, path: string): boolean {
  return operation === 'getFileStatus' && path.includes('/_tmp/') && path.includes('-1-0.')
}

function isRename(operation: MemoryOperation, path: string): boolean {
  return operation === 'rename' && path.includes('-1-0.')
}

/** One file is in `_taken/` with its reason, counted, and nothing else is missing. */
const expectTaken = async (world: World, events: number): Promise<void> => {
  expect(world.spool().stats()).toMatchObject({
    totalFlushedEvents: 5 - events,
    takenFiles: 1,
    takenEvents: events,
    pendingFiles: 0,
    quarantinedFiles: 0,
  })
  const [copy, reason, ...more] = world.disk().paths.filter(path => path.startsWith('_taken/'))
  expect(more).toEqual([])
  expect(reason).toBe(`${copy}.reason`)
  const lines = new TextDecoder().decode(await world.disk().read(copy ?? ''))
  expect(lines.split('\n').length - 1).toBe(events)
}

/** What `sluice spool quarantine release` does. */
const release = async (world: World): Promise<void> => {
  const spool = await takeSpool(world.disk())
  const names = [...spool.ledger.state.files.inState('taken')].map(({ file }) => file.name)
  expect(await releaseFiles(spool, names)).toMatchObject([{ done: true }])
  await spool.ledger.close()
}

/** The two lines of the first bucket. */
const contentOfOne = Buffer.from(
  [0, 1]
    .map(
      n =>
        `{"eventName":"One","payload":{"n":${n},"mixed":${n},"eventDate":1767323045000,"eventGranularity":"HOURLY"}}\n`,
    )
    .join(''),
)

const flipBit = (bytes: Buffer, bit: number): Buffer => {
  const flipped = Buffer.from(bytes)
  flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return flipped
}

const write = (fileSystem: FileSystem, path: string, bytes: Uint8Array): Promise<void> =>
  hadoopOf(fileSystem).create(
    path,
    (async function* () {
      yield bytes
    })(),
  )
