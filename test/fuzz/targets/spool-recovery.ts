import { scanSegment } from '../../../src/spool/seal/seal.ts'
import { segmentPath } from '../../../src/spool/segment/segment-files.ts'
import { createSpoolDisk, passThrough, unlessUnknown } from '../spool-world.ts'
import * as segment from './spool-segment.ts'

/** A start on a spool whose one segment is the input. */
export const name = 'spool-recovery'

export const { dictionary } = segment
export const corpus = (): Uint8Array[] => segment.corpus().slice(0, 4)

const id = Buffer.from(`${'0123456789abcdef'.repeat(2)}\n`)

/** The start succeeds, or is refused because another version wrote the segment; every event that can be read is in a bucket file then, or in quarantine. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const disk = await createSpoolDisk({ id, 'log/0000000001.log': bytes })
  const sealed = await unlessUnknown(disk, passThrough)
  if (sealed === undefined) return
  const { events } = scanSegment(bytes, segmentPath(1))
  if (sealed < events && !disk.paths.some(path => path.startsWith('_quarantine/'))) {
    throw new Error(`${sealed} of ${events} events are left`)
  }
}
