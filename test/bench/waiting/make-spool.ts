import { linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createNodeDisk } from '../../../src/disk/node-disk.ts'
import type { BucketFile } from '../../../src/spool/files/bucket-file.ts'
import { openLedger } from '../../../src/spool/ledger/ledger.ts'

/** Files of one segment: so many types of events. */
const typesPerSegment = 100

/** Names of one file that a file system takes. */
const maxLinks = 30_000

const contents = Buffer.from('{"eventName":"T","payload":{"n":1}}\n')

/** Makes a spool in which many files wait; their bytes are few, and shared. */
export const makeSpool = async (directory: string, files: number): Promise<void> => {
  for (const part of ['sealed', 'log', '_quarantine']) mkdirSync(join(directory, part), { recursive: true })
  const collectorId = 'a'.repeat(32)
  writeFileSync(join(directory, 'id'), `${collectorId}\n`)
  const disk = createNodeDisk({ directory })
  const ledger = await openLedger(disk, true, () => Promise.reject(new Error('The ledger is new')))
  const started = Date.UTC(2026, 0, 1)
  let source = ''
  for (let made = 0; made < files; made += typesPerSegment) {
    const segment = made / typesPerSegment + 1
    const at = new Date(started + segment * 30_000)
    const stamp = at.toISOString()
    const hour = stamp.slice(0, 13).replaceAll(/[-T]/g, '/')
    const sealed = Array.from({ length: Math.min(typesPerSegment, files - made) }, (_, part): BucketFile => {
      const name = `${stamp.replaceAll(/[-:]/g, '')}-${collectorId}-${segment}-${part}.jsonl`
      const path = join(directory, 'sealed', name)
      if ((made + part) % maxLinks === 0) {
        writeFileSync(path, contents)
        source = path
      } else linkSync(source, path)
      return {
        name,
        directory: `/events/Type${part}/${hour}`,
        segment,
        format: 'jsonl',
        codec: 'none',
        kind: 'smile',
        length: contents.length,
        crc: crc32(contents),
        events: 1,
        oldest: at.getTime(),
      }
    })
    await ledger.append({ type: 'sealed', segment, files: sealed, keys: [], damage: [] })
  }
  await ledger.close()
  await disk.close()
}
