import { describe, expect, test } from 'vitest'
import { spoolBean } from '../../../admin/catalog/spool.ts'
import { createSpool } from '../../../src/spool/create-spool.ts'
import { sealSegment } from '../../../src/spool/seal.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { silent, testSettings } from '../../suites/spool.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

describe('spoolBean', () => {
  test('shows every figure of the spool, except the lists', async () => {
    const disk = createTearingDisk()
    const spool = await createSpool({
      disk,
      fileSystem: createMemoryFileSystem(),
      settings: testSettings,
      log: silent,
      seal: request => sealSegment(disk, request),
      heartbeat: () => () => {},
    })
    const { fsyncMs: _ring, fsyncCounts: _counts, localFiles: _files, lostSegments: _lost, ...figures } = spool.stats()
    const shown = Object.entries(spoolBean('v', () => spool.stats()).attributes).map(([name, one]) => [
      `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
      one.read(),
    ])
    expect(Object.fromEntries(shown)).toEqual(figures)
    await spool.close()
  })
})
