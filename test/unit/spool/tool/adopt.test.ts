import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../../src/log/log.ts'
import { type OpenSpoolOptions, openSpool } from '../../../../src/spool/open-spool.ts'
import { adoptSpool } from '../../../../src/spool/tool/adopt.ts'
import { createMemoryFileSystem } from '../../../suites/memory-filesystem.ts'
import { testSettings } from '../../../suites/spool.ts'

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
  const failing: typeof openSpool = async (...given) => ({
    ...(await openSpool(...given)),
    drain: () => Promise.reject(new Error('EIO')),
  })
  await expect(adoptSpool(directory, options, failing)).rejects.toThrow('EIO')
  const spool = await adoptSpool(directory, options)
  await expect(openSpool(directory, options)).rejects.toThrow('is in use by')
  await spool.close()
})
