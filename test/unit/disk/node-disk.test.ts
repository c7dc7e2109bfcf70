import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import { writeSynced } from '../../../src/disk/write-synced.ts'

test('a file that goes while its directory is listed is not among its entries', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-disk-'))
  try {
    const disk = createNodeDisk({ directory })
    await disk.mkdir('log')
    await writeSynced(disk, 'log/1', new Uint8Array(3))
    // What readdir tells and stat does not find, as a segment does that is sealed between the two.
    await symlink(join(directory, 'gone'), join(directory, 'log/0'))
    expect(await disk.list('log')).toEqual([{ name: '1', isDirectory: false, length: 3 }])
    await expect(disk.list('nowhere')).rejects.toMatchObject({ code: 'ENOENT' })
  } finally {
    await rm(directory, { recursive: true })
  }
})
