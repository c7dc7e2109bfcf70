/**
 * A process that runs a spool and kills itself, with SIGKILL, at one operation of its disk or its file system: right
 * before it, halfway through an upload, or right after it. What it acknowledged it says on standard output, at once.
 * Run as `node crash-child.ts <JSON of ChildOrder>`.
 */
import { mkdirSync, writeSync } from 'node:fs'
import type { AppendFile, Disk } from '../../src/disk/disk.ts'
import { createNodeDisk } from '../../src/disk/node-disk.ts'
import { createFileSystem, type FileSystemSettings } from '../../src/filesystem/create.ts'
import { createSpool } from '../../src/spool/create-spool.ts'
import { lockSpool } from '../../src/spool/directory/lock.ts'
import { createReplica } from '../../src/spool/replica/replica.ts'
import { createSealing } from '../../src/spool/seal/sealing.ts'
import type { SpoolSettings } from '../../src/spool/spool-settings.ts'
import { type FlatFileSystem as FileSystem, flat, fromVerbs } from './flat-filesystem.ts'
import { toMark } from './marks.ts'
import { beatTwice, jsonBatch, silent, testSettings } from './spool.ts'

export type ChildOrder = {
  readonly directory: string
  readonly outputDirectory: string
  readonly fileSystem: FileSystemSettings
  /** @default fsync */
  readonly ack?: 'fsync' | 'replicated' | undefined
  /** Of the event files. */
  readonly format: SpoolSettings['outputFormat']
  /** Numbers of the events to append, one batch each. */
  readonly events: readonly number[]
  /** What it does behind its events. @default flush */
  readonly ending?: 'flush' | 'drain'
  /** Which operations count, and at which of them it ends; without, it runs to a clean stop. */
  readonly kill?: {
    readonly of: 'disk' | 'file system'
    readonly at: number
    readonly when: 'before' | 'during' | 'after'
  }
}

/** What the child says: one line of JSON each. */
export type ChildLine =
  | { readonly acknowledged: number }
  | { readonly killedAt: string }
  | { readonly done: { readonly pendingFiles: number; readonly totalFlushedEvents: number } }

const order = JSON.parse(process.argv[2] ?? '{}') as ChildOrder

const say = (line: ChildLine): void => void writeSync(1, `${JSON.stringify(line)}\n`)

let operations = 0
const die = (name: string): never => {
  say({ killedAt: name })
  process.kill(process.pid, 'SIGKILL')
  // The signal arrives at once; nothing of this thread may run on meanwhile.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
}

/** Counts an operation, and ends the process before or after the one that was ordered. */
const counted =
  <Args extends unknown[], T>(of: 'disk' | 'file system', name: string, call: (...args: Args) => Promise<T>) =>
  async (...args: Args): Promise<T> => {
    const { kill } = order
    const isIt = kill?.of === of && ++operations === kill.at
    if (isIt && kill.when === 'before') die(`before ${of} ${name}`)
    const result = await call(...args)
    if (isIt && kill.when === 'after') die(`after ${of} ${name}`)
    return result
  }

const countedFile = (file: AppendFile): AppendFile => ({
  append: counted('disk', 'append', bytes => file.append(bytes)),
  fdatasync: counted('disk', 'fdatasync', () => file.fdatasync()),
  close: () => file.close(),
})

const countedDisk = (disk: Disk): Disk => ({
  ...disk,
  create: counted('disk', 'create', async path => countedFile(await disk.create(path))),
  rename: counted('disk', 'rename', (from, to) => disk.rename(from, to)),
  unlink: counted('disk', 'unlink', path => disk.unlink(path)),
  fsync: counted('disk', 'fsync', path => disk.fsync(path)),
  fsyncDir: counted('disk', 'fsyncDir', path => disk.fsyncDir(path)),
})

/** An upload that the process does not survive: some bytes are on their way, the rest never comes. */
async function* cutShort(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk.subarray(0, chunk.length >> 1)
    await new Promise(resolve => setTimeout(resolve, 20))
    die('during file system create')
  }
}

const countedFileSystem = (fileSystem: FileSystem): FileSystem =>
  fromVerbs<FileSystem>({
    ...fileSystem,
    create: counted('file system', 'create', (path, source, options) => {
      const { kill } = order
      const isCut = kill?.of === 'file system' && kill.when === 'during' && operations === kill.at
      return fileSystem.create(path, isCut ? cutShort(source) : source, options)
    }),
    getFileStatus: counted('file system', 'getFileStatus', path => fileSystem.getFileStatus(path)),
    rename: counted('file system', 'rename', (source, target, options) => fileSystem.rename(source, target, options)),
    delete: counted('file system', 'delete', (path, options) => fileSystem.delete(path, options)),
  })

mkdirSync(order.directory, { recursive: true })
lockSpool(order.directory)
const disk = countedDisk(createNodeDisk({ directory: order.directory }))
const plainFileSystem = await createFileSystem(order.fileSystem)
const fileSystem = countedFileSystem(flat(plainFileSystem))
const { ack = 'fsync', outputDirectory } = order
const replicated = { ...testSettings.replicated, replication: 1, min: 1 }
const replica =
  ack === 'replicated'
    ? createReplica({
        fileSystem: plainFileSystem,
        outputDirectory,
        settings: () => replicated,
        log: silent,
        now: Date.now,
        onFenced: () => {},
      })
    : undefined
let beat: () => Promise<void> = async () => {}
const spool = await createSpool({
  disk,
  fileSystem,
  settings: () => ({
    ...testSettings,
    outputDirectory,
    ack,
    replicated,
    outputFormat: order.format,
    keepCommittedMs: 0,
  }),
  log: silent,
  replica,
  sealing: createSealing(disk, undefined, { maxReadyBytes: 0 }),
  // Nothing happens by time here: the same operations come in the same order each time.
  heartbeat: body => {
    beat = body
    return () => {}
  },
})
// Before that nothing is taken.
while (replica && !replica.isInStep) await replica.attach()
// Only a child with events takes back a spool that was given up.
if (order.events.length > 0) await spool.undoDrain()
for (const event of order.events) {
  const names = ['One', 'Two']
  // Of one kind in this process, and of another in the next.
  const mixed = [event, event + 0.5, `kind ${event}`][Math.floor(event / order.events.length) % 3] ?? null
  await spool.append(jsonBatch([{ id: toMark(event), mixed }], { name: names[event % 2] ?? 'One' }))
  say({ acknowledged: event })
}
if (order.ending === 'drain') {
  await spool.drain()
  await beatTwice(beat)
} else {
  await spool.processLeftBelowFiles()
}
await spool.close()
const { pendingFiles, totalFlushedEvents } = spool.stats()
await fileSystem.close()
say({ done: { pendingFiles, totalFlushedEvents } })
process.exit(0)
