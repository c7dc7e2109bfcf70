/**
 * A process that writes to HDFS by its own protocol until it is killed: an upload that does not end, and a log of which it
 * says how many bytes are synced. Run as `node writing-child.ts <namenodeUrl> <webhdfsUrl> <directory>`.
 */
import { writeSync } from 'node:fs'
import { createFileSystem } from '../../../src/filesystem/create.ts'

const [url = '', webhdfs = '', directory = ''] = process.argv.slice(2)
const fileSystem = await createFileSystem({ url, webhdfs: [webhdfs], protocol: 'native' })

const say = (line: { readonly uploaded: number } | { readonly synced: number }): void =>
  void writeSync(1, `${JSON.stringify(line)}\n`)

async function* endless(): AsyncGenerator<Uint8Array> {
  for (let uploaded = 0; ; uploaded += 65_536) {
    yield new Uint8Array(65_536).fill(1)
    say({ uploaded })
    await new Promise(resolve => setImmediate(resolve))
  }
}

const upload = fileSystem.publish(`${directory}/upload`, endless())
const log = await fileSystem.appends?.create(`${directory}/log`)
if (log === undefined) throw new Error('it keeps no file open')
const write = async (): Promise<never> => {
  for (let line = 0; ; line++) {
    await log.write(Buffer.from(`${line}\n`))
    await log.hsync()
    say({ synced: log.length })
  }
}
await Promise.all([upload, write()])
