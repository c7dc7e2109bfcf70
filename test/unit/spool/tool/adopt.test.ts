import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../../src/log/log.ts'
import { type OpenSpoolOptions, openSpool } from '../../../../src/spool/open-spool.ts'
import { adoptSpool } from '../../../../src/spool/tool/adopt.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { testSettings } from '../../../suites/spool.ts'

/** A spool that opens as it does, and whose drain cannot be noted. */
const drain = vi.fn<() => Promise<void>>()
vi.mock(import('../../../../src/spool/open-spool.ts'), async original => {
  const { openSpool } = await original()
  return { openSpool: async (...given) => ({ ...(await openSpool(...given)), drain }) }
})

test('a spool whose drain cannot be noted is let go: its lock is free for the next one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-adopt-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const options: OpenSpoolOptions = {
    fileSystem: createMemoryFileSystem(),
    log: silentLogger,
    settings: () => testSettings,
    heartbeat: () => () => {},
  }
  await (await openSpool(directory, options)).close()
  drain.mockRejectedValue(new Error('EIO'))
  await expect(adoptSpool(directory, options)).rejects.toThrow('EIO')
  drain.mockResolvedValue()
  const spool = await adoptSpool(directory, options)
  await expect(openSpool(directory, options)).rejects.toThrow('is in use by')
  await spool.close()
})
