import { type FileHandle, mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createLocalWriters } from '../../../../admin/cli/tables/local-writers.ts'

const isLinux = process.platform === 'linux'

const start = async () => {
  const root = await mkdtemp(join(tmpdir(), 'sluice-local-writers-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await writeFile(join(root, 'log.jsonl'), '{}\n')
  let time = 0
  const fileSystem = { urlOf: () => pathToFileURL(root).href, mountOf: () => '/mnt/disk' }
  const { hasWriter, haveWriter } = createLocalWriters(fileSystem, () => time)
  const hold = async (flags: string): Promise<FileHandle> => {
    const file = await open(join(root, 'log.jsonl'), flags)
    onTestFinished(() => file.close())
    return file
  }
  return { root, hasWriter, haveWriter, hold, wait: (ms: number) => (time += ms) }
}

test.runIf(isLinux).each([
  ['r', false],
  ['a', true],
  ['r+', true],
])('a file that is open with "%s" has a writer: %s', async (flags, expected) => {
  const { hasWriter, hold } = await start()
  await hold(flags)
  expect(hasWriter('/mnt/disk/log.jsonl')).toBe(expected)
  expect(hasWriter('/mnt/disk/none.jsonl')).toBe(false)
})

test.runIf(isLinux)('a look counts for a second, by the file and not by its name', async () => {
  const { root, hasWriter, hold, wait } = await start()
  expect(hasWriter('/mnt/disk/log.jsonl')).toBe(false)
  await hold('a')
  expect(hasWriter('/mnt/disk/log.jsonl')).toBe(false)
  await rename(join(root, 'log.jsonl'), join(root, 'kept.jsonl'))
  await writeFile(join(root, 'log.jsonl'), '{}\n')
  expect(hasWriter('/mnt/disk/log.jsonl')).toBe(false)
  wait(1_001)
  expect(hasWriter('/mnt/disk/kept.jsonl')).toBe(true)
  expect(hasWriter('/mnt/disk/log.jsonl')).toBe(false)
})

test.runIf(isLinux)('of sources that a claim has a look that begins then is the last word', async () => {
  const { root, hasWriter, haveWriter, hold } = await start()
  expect(hasWriter('/mnt/disk/log.jsonl')).toBe(false)
  await hold('a')
  await mkdir(join(root, '_compaction/owner/sources'), { recursive: true })
  await rename(join(root, 'log.jsonl'), join(root, '_compaction/owner/sources/log.jsonl'))
  await writeFile(join(root, 'other.jsonl'), '{}\n')
  expect(haveWriter(['/mnt/disk/other.jsonl'])).toBe(false)
  expect(haveWriter(['/mnt/disk/other.jsonl', '/mnt/disk/_compaction/owner/sources/log.jsonl'])).toBe(true)
})

test.runIf(isLinux)('a last word is never that of a look before', async () => {
  const { haveWriter, hold } = await start()
  expect(haveWriter(['/mnt/disk/log.jsonl'])).toBe(false)
  await hold('a')
  expect(haveWriter(['/mnt/disk/log.jsonl'])).toBe(true)
})
