import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { release } from '../../../src/bytes/slabs.ts'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import { writeSynced } from '../../../src/disk/write-synced.ts'

test('a file that goes while its directory is listed is not among its entries', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-disk-'))
  try {
    const disk = createNodeDisk({ directory })
    await disk.mkdir('log')
    await writeSynced(disk, 'log/1', new Uint8Array(3))
    // An entry that readdir returns and stat does not find, as a segment does that is sealed between the two.
    await symlink(join(directory, 'gone'), join(directory, 'log/0'))
    expect(await disk.list('log')).toEqual([{ name: '1', isDirectory: false, length: 3 }])
    await expect(disk.list('nowhere')).rejects.toMatchObject({ code: 'ENOENT' })
  } finally {
    await rm(directory, { recursive: true })
  }
})

test.each([
  { what: 'memory of its own', memory: undefined, pieces: [65_536, 34_464] },
  { what: 'memory that is given', memory: new Uint8Array(40_000), pieces: [40_000, 40_000, 20_000] },
])('a file comes in pieces, each in $what', async ({ memory, pieces }) => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-disk-'))
  try {
    const disk = createNodeDisk({ directory })
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251)
    await writeSynced(disk, 'file', bytes)
    const lengths: number[] = []
    const copies: Uint8Array[] = []
    for await (const piece of disk.stream('file', memory)) {
      lengths.push(piece.length)
      copies.push(new Uint8Array(piece))
      expect(piece.buffer === memory?.buffer).toBe(memory !== undefined)
    }
    expect(lengths).toEqual(pieces)
    expect(Buffer.concat(copies).equals(bytes)).toBe(true)
  } finally {
    await rm(directory, { recursive: true })
  }
})

test('the memory of a piece that is released is that of a later one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-disk-'))
  try {
    const disk = createNodeDisk({ directory })
    const bytes = Buffer.alloc(6 << 20, 'some text ')
    await writeSynced(disk, 'file', bytes)
    const memories = new Set<unknown>()
    let at = 0
    for await (const piece of disk.stream('file')) {
      expect(bytes.compare(piece, 0, piece.length, at, at + piece.length)).toBe(0)
      at += piece.length
      memories.add(piece.buffer)
      release(piece)
    }
    expect(at).toBe(bytes.length)
    expect(memories.size).toBeLessThan(4)
  } finally {
    await rm(directory, { recursive: true })
  }
})
