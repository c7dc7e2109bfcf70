import { join } from 'node:path'
import { createNodeDisk } from '../../src/disk/node-disk.ts'
import { createWriter } from '../../src/disk/writer.ts'
import { FileSystemError } from '../../src/filesystem/filesystem.ts'
import type { Batch } from '../../src/spool/batch.ts'
import { createSpool } from '../../src/spool/create-spool.ts'
import { createSealer } from '../../src/spool/seal/sealer.ts'
import type { ClientLedger } from './ledger-of-client.ts'
import { toMark } from './marks.ts'
import { createMemoryFileSystem } from './memory-filesystem.ts'
import { silent, startMs, testSettings } from './spool.ts'

export type BacklogOptions = {
  /** Of the spool; made when missing. */
  readonly directory: string
  /** Events of so many types, each of which makes a file of its own. */
  readonly smallFiles: number
  /** Events of one more type, this many bytes of them all together. */
  readonly bytes: number
  readonly maxSegmentBytes: number
  /** Whether segments have been made into files, or are still in the log. */
  readonly isSealed: boolean
  /** Notes the events as acknowledged. */
  readonly client: ClientLedger
}

/** The contents of the spool then. */
export type Backlog = { readonly files: number; readonly events: number }

const bytesPerEvent = 20_000
const eventsPerBatch = 50
const batchesAtOnce = 8

/** Fills a spool while the file system behind it is away, and closes it: what a start then finds. */
export const buildBacklog = async (options: BacklogOptions): Promise<Backlog> => {
  const { directory, smallFiles, bytes, isSealed, client } = options
  const fail = (_: string, path: string) => new FileSystemError('unavailable', path, 'away')
  const writer = createWriter()
  const sealer = createSealer({ directory })
  const base = createNodeDisk({ directory })
  await base.mkdir('.')
  const disk = createNodeDisk({ directory, createFile: path => writer.create(path), onClose: () => writer.close() })
  const spool = await createSpool({
    disk,
    fileSystem: createMemoryFileSystem({ fail }),
    settings: () => ({ ...testSettings, maxSegmentBytes: options.maxSegmentBytes }),
    log: silent,
    sealing: {
      ...sealer,
      seal: request => (isSealed ? sealer.seal(request) : Promise.reject(sealingIsOff)),
    },
    heartbeat: () => () => {},
  })
  const append = async (names: readonly string[], pad: string): Promise<void> => {
    const events = names.map(() => client.issue())
    await spool.append(toBatch(names, events, pad))
    client.acknowledge(...events)
  }
  if (smallFiles > 0) {
    const names = Array.from({ length: smallFiles }, (_, i) => `Small${i}`)
    await append(names, '')
    await spool.processLeftBelowFiles()
  }
  const names = Array.from({ length: eventsPerBatch }, () => 'Large')
  const pad = '.'.repeat(bytesPerEvent)
  for (let done = 0; done < bytes; done += batchesAtOnce * eventsPerBatch * bytesPerEvent) {
    await Promise.all(Array.from({ length: batchesAtOnce }, () => append(names, pad)))
  }
  await spool.processLeftBelowFiles()
  const files = spool.stats().pendingFiles
  await spool.close()
  await sealer.close()
  return { files, events: client.acknowledged.size }
}

/** As an error of the disk that is written to: the segment waits. */
const sealingIsOff = Object.assign(new Error('EIO: sealing is off'), { code: 'EIO' })

const toBatch = (names: readonly string[], events: readonly number[], pad: string): Batch => ({
  api: 'POST_Json_API',
  format: 'json',
  events: names.map((name, index) => ({ index, name, date: startMs, granularity: 'HOURLY' })),
  body: Buffer.from(
    JSON.stringify(names.map((eventName, i) => ({ eventName, payload: { id: toMark(events[i] ?? 0), pad } }))),
  ),
})

/** Where the server's spool is, below its data directory. */
export const spoolOf = (dataDirectory: string): string => join(dataDirectory, '.diskpool')
