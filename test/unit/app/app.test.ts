import { expect, test } from 'vitest'
import { createApp } from '../../../src/app/app.ts'
import { loadConfig } from '../../../src/config/config.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { createTearingDisk } from '../../suites/tearing-disk.ts'

test('a spool that cannot be opened leaves nothing open', async () => {
  const { settings } = loadConfig({ env: {}, cwd: '/nowhere', readFile: () => '' })
  let closed = 0
  const fileSystem = {
    ...createMemoryFileSystem(),
    close: async () => {
      closed++
    },
  }
  const disk = createTearingDisk({ fail: () => new Error('EIO: the disk is broken') })
  await expect(createApp({ settings, logger: silentLogger, fileSystem, disk })).rejects.toThrow('the disk is broken')
  expect(closed).toBe(1)
})
