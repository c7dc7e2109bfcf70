import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { openSpool } from '../../../../src/spool/open-spool.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { jsonBatch, openTestSpool, readEvents, silent, testSettings } from '../../../suites/spool.ts'

// What is deleted below a server that runs on it.
test.each(['log', 'ledger', 'log and ledger'])(
  'R5: every acknowledged event survives that somebody deletes the open %s',
  async what => {
    const root = await mkdtemp(join(tmpdir(), 'sluice-deleted-'))
    const directory = join(root, 'spool')
    const lines: string[] = []
    const log = { ...silent, error: (_: object, message: string) => void lines.push(message) }
    const settings = () => ({ ...testSettings, flushEnabled: false })
    const spool = await openSpool(directory, { fileSystem: createMemoryFileSystem(), settings, log })
    try {
      await spool.append(jsonBatch([{ n: 0 }]))
      if (what.includes('log'))
        for (const name of await readdir(join(directory, 'log'))) await rm(join(directory, 'log', name))
      if (what.includes('ledger')) await rm(join(directory, 'ledger'))
      await spool.append(jsonBatch([{ n: 1 }]))
      await spool.disableFlush()
      await spool.append(jsonBatch([{ n: 2 }]))
      // As a kill leaves it.
      await cp(directory, join(root, 'copy'), { recursive: true, filter: path => !path.includes('lock') })
    } finally {
      await spool.close()
    }
    const fileSystem = createMemoryFileSystem()
    const clock = { ms: Date.now() + 60_000 }
    const disk = createNodeDisk({ directory: join(root, 'copy') })
    const { spool: next } = await openTestSpool({ disk, fileSystem, clock })
    await next.processLeftBelowFiles()
    expect((await readEvents(fileSystem)).map(({ payload }) => payload['n'])).toEqual([0, 1, 2])
    await next.close()
    expect(new Set(lines)).toEqual(
      new Set(['an open file of the spool was deleted, and is restored with all its data']),
    )
    await rm(root, { recursive: true, force: true })
  },
)
