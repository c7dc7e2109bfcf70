/**
 * A process that makes every change that the spool's disk knows, and says after each what it did, in the form of an answer,
 * which the trace notes. Run as `node disk-calls.ts <directory>`.
 */
import { mkdirSync, writeSync } from 'node:fs'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import { createWriter } from '../../../src/disk/writer.ts'

const say = (done: string): void => void writeSync(1, `HTTP/1.1 200 ${done}\n`)

const directory = process.argv[2] ?? ''
mkdirSync(directory)
const bytes = new TextEncoder().encode('some bytes')
const writer = createWriter()
const ownThread = createNodeDisk({ directory, createFile: path => writer.create(path) })
const thisThread = createNodeDisk({ directory })
await thisThread.fsyncDir('..')
for (const [name, disk] of Object.entries({ ownThread, thisThread })) {
  const file = await disk.create(name)
  await file.append(bytes)
  await file.fdatasync()
  await disk.fsyncDir('.')
  say(`${name}: create, append, fdatasync`)
  await file.close()
  await disk.truncate(name, 3)
  say(`${name}: truncate`)
  await disk.rename(name, `${name}.renamed`)
  await disk.fsyncDir('.')
  say(`${name}: rename`)
  const unsynced = await disk.create(name)
  await unsynced.append(bytes)
  await unsynced.close()
  await disk.fsync(name)
  await disk.fsyncDir('.')
  say(`${name}: fsync`)
  await disk.unlink(name)
  await disk.fsyncDir('.')
  say(`${name}: unlink`)
}
await writer.close()
