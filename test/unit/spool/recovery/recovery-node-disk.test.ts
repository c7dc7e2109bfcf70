import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AppendFile } from '../../../../src/disk/disk.ts'
import { createNodeDisk } from '../../../../src/disk/node-disk.ts'
import { createWriter, type Writer } from '../../../../src/disk/writer.ts'

let directory = ''
let writer: Writer
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-disk-'))
  writer = createWriter()
})
afterEach(async () => {
  await writer.close()
  await rm(directory, { recursive: true, force: true })
})

const makers: readonly (readonly [string, () => Promise<AppendFile>])[] = [
  ['in this thread', () => createNodeDisk({ directory }).create('file')],
  ['in a thread of its own', () => writer.create(join(directory, 'file'))],
]

describe.each(makers)('an append file written %s', (_, create) => {
  test('runs its calls in order: the receipt of a sync covers the appends made before it', async () => {
    const file = await create()
    const appended = [1, 2, 3].map(n => file.append(new Uint8Array(n * 100_000).fill(n)))
    expect(await file.fdatasync()).toBe(600_000)
    expect(await Promise.all(appended)).toEqual([100_000, 300_000, 600_000])
    await file.close()
    const bytes = await createNodeDisk({ directory }).read('file')
    expect([bytes.length, bytes[0], bytes[100_000], bytes[300_000]]).toEqual([600_000, 1, 2, 3])
  })

  test('is never opened twice', async () => {
    await (await create()).close()
    await expect(create()).rejects.toMatchObject({ code: 'EEXIST' })
  })
})
