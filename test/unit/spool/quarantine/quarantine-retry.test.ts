import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../../../src/filesystem/filesystem.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents } from '../../../suites/spool.ts'
import { createTearingDisk } from '../../../suites/tearing-disk.ts'

/** A spool whose file system refuses files of some types, and the uploads that were tried, in minutes since the start. */
const start = async () => {
  let refuses = (_path: string): boolean => false
  const tried: number[] = []
  const clock = { ms: Date.UTC(2026, 0, 2) }
  const fileSystem = createMemoryFileSystem({
    fail: (operation, path) => {
      if (operation !== 'rename') return undefined
      tried.push((clock.ms - Date.UTC(2026, 0, 2)) / 60_000)
      return refuses(path) ? new FileSystemError('denied', path, 'The quota is used up') : undefined
    },
  })
  const disk = createTearingDisk()
  const opened = await openTestSpool({ disk, fileSystem, clock })
  const wait = async (minutes: number): Promise<void> => {
    for (let tenth = 0; tenth < 10 * minutes; tenth++) {
      clock.ms += 6_000
      await opened.beat()
    }
  }
  return {
    ...opened,
    disk,
    fileSystem,
    clock,
    tried,
    wait,
    refuse: (test: (path: string) => boolean) => {
      refuses = test
    },
  }
}

const files = async ({ spool, wait }: Awaited<ReturnType<typeof start>>, count: number, name = 'Hello') => {
  for (let n = 0; n < count; n++) {
    await spool.append(jsonBatch([{ n }], { name }))
    await wait(0.5)
  }
}

describe('files that the file system refused', () => {
  test('are retried by themselves, one of them, ever more rarely, up to an hour', async () => {
    const server = await start()
    server.refuse(() => true)
    await files(server, 3)
    expect(server.spool.stats().quarantinedFiles).toBe(3)
    server.tried.length = 0
    await server.wait(360)
    const pauses = server.tried.map((at, i) => Math.round(at - (server.tried[i - 1] ?? at)))
    expect(pauses.slice(1)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
    expect(server.spool.stats().quarantinedFiles).toBe(3)
  })

  test('all follow the first one that is taken', async () => {
    const server = await start()
    server.refuse(() => true)
    await files(server, 5)
    server.refuse(() => false)
    await server.wait(2)
    expect(server.spool.stats()).toMatchObject({ quarantinedFiles: 0, pendingFiles: 0 })
    expect(await readEvents(server.fileSystem)).toHaveLength(5)
  })

  test('of one type do not wait for those of another', async () => {
    const server = await start()
    server.refuse(() => true)
    await files(server, 2, 'A')
    await files(server, 2, 'B')
    // What is renamed is found by the ledger's order: the first two are A's.
    const names = new Set(server.disk.paths.filter(path => /^_quarantine\/.*-[12]-0\.jsonl$/.test(path)))
    expect(names.size).toBe(2)
    server.refuse(path => [...names].some(name => path.includes(name.slice('_quarantine/'.length))))
    await server.wait(10)
    expect((await readEvents(server.fileSystem)).map(({ eventName }) => eventName)).toEqual(['B', 'B'])
    expect(server.spool.stats().quarantinedFiles).toBe(2)
  })

  test('one that stays refused does not hold up the others of its type', async () => {
    const server = await start()
    server.refuse(() => true)
    await files(server, 3)
    server.refuse(path => path.includes('-1-0.jsonl'))
    await server.wait(30)
    expect(server.spool.stats().quarantinedFiles).toBe(1)
    expect(await readEvents(server.fileSystem)).toHaveLength(2)
  })

  test('of a type whose files were accepted meanwhile are retried as soon as the first were', async () => {
    const server = await start()
    server.refuse(() => true)
    await files(server, 1)
    await server.wait(180)
    server.refuse(() => false)
    await server.wait(61)
    expect(server.spool.stats().quarantinedFiles).toBe(0)
    server.refuse(() => true)
    server.tried.length = 0
    await files(server, 1)
    await server.wait(6)
    const pauses = server.tried.map((at, i) => Math.round(at - (server.tried[i - 1] ?? at)))
    expect(pauses).toEqual([0, 1, 1, 2])
  })

  test('stay where they are while flushing is disabled', async () => {
    const server = await start()
    server.refuse(() => true)
    await files(server, 1)
    await server.spool.disableFlush()
    server.refuse(() => false)
    await server.wait(10)
    expect(server.spool.stats().quarantinedFiles).toBe(1)
    await server.spool.enableFlush()
    await server.wait(2)
    expect(server.spool.stats().quarantinedFiles).toBe(0)
  })
})
