import { describe, expect, test } from 'vitest'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import { startTestServer } from '../suites/admin.ts'
import { createMemoryFileSystem } from '../suites/memory-filesystem.ts'

const fileSystem = () =>
  createMemoryFileSystem({ fail: (_, path) => new FileSystemError('unavailable', path, 'nobody answers') })

describe('a start while the file system is unavailable says so', () => {
  test('where there is a gateway only', async () => {
    const { log } = await startTestServer({ set: ['services=gateway'], transport: 'node', fileSystem: fileSystem() })
    await expect.poll(() => log.map(({ msg }) => msg)).toContain('the file system does not answer')
  })

  test('and once, where there is a collector', async () => {
    const { log, beat } = await startTestServer({ transport: 'node', fileSystem: fileSystem() })
    await beat()
    const lines = log.map(({ msg }) => msg).filter(msg => msg.startsWith('the file system'))
    expect(lines).toEqual([expect.stringMatching(/^the file system does not answer: events are accepted and wait/)])
  })
})
