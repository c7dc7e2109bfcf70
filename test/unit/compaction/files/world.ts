/** Small files in a file system in memory, and what a reader finds of their rows. */
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { type CompactBelowOptions, compactBelow } from '../../../../src/compaction/files/compact-below.ts'
import { planFiles } from '../../../../src/compaction/files/plan-files.ts'
import type { FileSystem } from '../../../../src/filesystem/filesystem.ts'
import { baseName } from '../../../../src/filesystem/path.ts'
import { stringifyJson } from '../../../../src/formats/json.ts'
import { createOpenRows } from '../../../../src/rows/create-open-rows.ts'
import { noRegistrar } from '../../../../src/rows/registrar/registrar.ts'

import { whole } from '../../../suites/memory-hdfs.ts'

/** When files were written, and when they are compacted. */
export const written = Date.UTC(2026, 10, 22, 8, 30)
export const later = Date.UTC(2026, 10, 23)

export const hourDirectory = '/events/Order/2026/11/22/08'

export const toOptions = (fileSystem: FileSystem, others: Partial<CompactBelowOptions> = {}): CompactBelowOptions => ({
  fileSystem,
  from: -1e9,
  to: 1e9,
  targetBytes: 1e9,
  now: () => later,
  closedAfterMs: 600_000,
  isClosed: async () => true,
  areClosed: async paths => {
    for (const path of paths) if (others.isClosed && !(await others.isClosed(path))) return false
    return true
  },
  onFile: () => {},
  toTrash: async directory => `/user/ann/.Trash/Current${directory}/compacted-${randomUUID()}`,
  pause: async () => {},
  temporaryDirectory: tmpdir(),
  waitForBeat: async () => {},
  onBytes: () => {},
  onPlan: () => {},
  onDirectory: () => {},
  ...others,
})

/** Plans and compacts what is below a directory. */
export const compact = async (fileSystem: FileSystem, others: Partial<CompactBelowOptions> = {}, path = '/events') => {
  const options = toOptions(fileSystem, others)
  return await compactBelow(options, path, await planFiles(options, path))
}

export const write = async (fileSystem: FileSystem, path: string, bytes: Uint8Array | string): Promise<void> => {
  await fileSystem.publish(path, whole(Buffer.from(bytes)))
}

/** All files below a directory, hidden ones too. */
export const listFiles = async (fileSystem: FileSystem, path: string): Promise<string[]> => {
  const found: string[] = []
  for await (const part of fileSystem.listStatus(path))
    for (const status of part)
      if (status.isDirectory) found.push(...(await listFiles(fileSystem, status.path)))
      else found.push(status.path)
  return found.sort()
}

const openRows = createOpenRows()

/** Rows as a reader finds them that passes over hidden names, in an order of its own. */
export const readVisible = async (fileSystem: FileSystem, path: string): Promise<string[]> => {
  const rows: string[] = []
  for (const file of await listFiles(fileSystem, path)) {
    if (/\/[._]/.test(file.slice(path.length))) continue
    const status = await fileSystem.getFileStatus(file)
    const reading = await openRows({ fileSystem, status, registrar: noRegistrar, serializers: [], nulls: true })
    for await (const batch of reading.batches)
      for (const row of batch.rows) rows.push(stringifyJson({ names: [...row.names], values: [...row.values] }))
  }
  return rows.sort()
}

export const namesIn = async (fileSystem: FileSystem, path: string): Promise<string[]> =>
  (await listFiles(fileSystem, path)).map(baseName)
