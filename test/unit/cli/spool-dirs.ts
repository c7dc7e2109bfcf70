import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach } from 'vitest'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import type { FileSystem } from '../../../src/filesystem/filesystem.ts'
import type { Batch } from '../../../src/spool/batch.ts'
import { openOffline } from '../../../src/spool/tool/offline.ts'
import { createSegmentBuilder } from '../../../src/spool/tool/segment-writer.ts'
import { createMemoryFileSystem } from '../../suites/memory-filesystem.ts'
import { openTestSpool, readEvents, startMs } from '../../suites/spool.ts'

const made: string[] = []

afterEach(async () => {
  for (const directory of made.splice(0)) await rm(directory, { recursive: true, force: true })
})

/** An empty directory for one test. */
export const createDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-cli-'))
  made.push(directory)
  return directory
}

/** Writes files, with the directories above them. */
export const writeTree = async (root: string, files: Readonly<Record<string, Uint8Array | string>>): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

/** A spool as a stopped server leaves it: these batches in one segment that is not sealed. */
export const createSegment = async (directory: string, batches: readonly Batch[]): Promise<void> => {
  const spool = await openOffline(directory, { create: true })
  const writer = createSegmentBuilder(spool)
  for (const batch of batches) await writer.append(batch, startMs)
  await writer.publish()
  await spool.close()
}

/** Runs a server's spool on the directory until everything that can be is in the file system. */
export const flushAll = async (directory: string, fileSystem: FileSystem = createMemoryFileSystem()) => {
  const { spool } = await openTestSpool({ disk: createNodeDisk({ directory }), fileSystem })
  const report = await spool.processLeftBelowFiles()
  const stats = spool.stats()
  await spool.close()
  return { report, stats, events: await readEvents(fileSystem) }
}
