/**
 * A process that appends to a file of a local file system, a letter a chunk, until it is killed: between two chunks, while
 * it waits for more. Run as `node append-child.ts <root> <path> <chunks>`; says `ready` when so many are written.
 */
import { writeSync } from 'node:fs'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { flat } from './flat-filesystem.ts'

const [root = '', path = '', chunks = ''] = process.argv.slice(2)

async function* source(): AsyncGenerator<Uint8Array> {
  for (let left = Number(chunks); left > 0; left--) yield Buffer.from('x')
  writeSync(1, 'ready\n')
  // Nothing else keeps the process.
  await new Promise(resolve => setTimeout(resolve, 60_000))
}

const fs = flat(await createLocalFileSystem({ root }))
await fs.append(path, source())
