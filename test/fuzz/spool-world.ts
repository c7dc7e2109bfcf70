import { directories } from '../../src/spool/files/spool-paths.ts'
import { UnknownFormat } from '../../src/spool/framing/format-header.ts'
import { recoverSpool } from '../../src/spool/recovery/recovery.ts'
import { createSealing } from '../../src/spool/seal/sealing.ts'
import { segmentPath } from '../../src/spool/segment/segment-files.ts'
import { dumpSpool } from '../../src/spool/tool/dump.ts'
import { verifySpool } from '../../src/spool/tool/verify.ts'
import { silent } from '../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../suites/tearing-disk.ts'

/** A spool's files by their paths, as a killed process may have left them. */
export type SpoolFiles = Readonly<Record<string, Uint8Array>>

/** A disk in memory with the files of a spool. */
export const createSpoolDisk = async (files: SpoolFiles): Promise<TearingDisk> => {
  const disk = createTearingDisk()
  for (const directory of directories) await disk.mkdir(directory)
  for (const [path, bytes] of Object.entries(files)) {
    const file = await disk.create(path)
    await file.append(bytes)
    await file.fdatasync()
  }
  return disk
}

/**
 * Looks at the spool with the offline tools, starts on it, seals all segments and looks again: none of that may fail,
 * whatever the files hold, and no event that a segment or its quarantine still holds may be forgotten.
 * @returns how many events are in bucket files at the end
 */
export const passThrough = async (disk: TearingDisk): Promise<number> => {
  await look(disk)
  const { ledger, segments, collectorId } = await recoverSpool(disk, true, silent)
  let events = 0
  for (const { number, end } of segments) {
    const result = await createSealing(disk).seal({
      segment: number,
      end,
      events: undefined,
      collectorId,
      outputDirectory: '/events',
      format: 'jsonl',
      codec: 'none',
      layout: 'dated',
      envelope: true,
      withKeys: true,
    })
    const { files, damage } = result
    await ledger.append({ type: 'sealed', segment: number, files, damage })
    await disk.unlink(segmentPath(number))
    events += result.files.reduce((sum, file) => sum + file.events, 0)
  }
  await ledger.close()
  await look(disk)
  const again = await recoverSpool(disk, true, silent)
  if (again.segments.length > 0) throw new Error('a sealed segment is there again')
  await again.ledger.close()
  return events
}

/** Does nothing to a spool of another version, and then nothing of it may have changed. */
export const unlessUnknown = async <T>(
  disk: TearingDisk,
  action: (disk: TearingDisk) => Promise<T>,
): Promise<T | undefined> => {
  const before = JSON.stringify(await contents(disk))
  try {
    return await action(disk)
  } catch (error) {
    if (!(error instanceof UnknownFormat)) throw error
    if (JSON.stringify(await contents(disk)) !== before) throw new Error('a spool that cannot be read was changed')
    return undefined
  }
}

const contents = async (disk: TearingDisk): Promise<readonly (readonly [string, string])[]> =>
  Promise.all(disk.paths.map(async path => [path, Buffer.from(await disk.read(path)).toString('base64')] as const))

const look = async (disk: TearingDisk): Promise<void> => {
  await verifySpool(disk, { isHeld: false })
  for await (const { line } of dumpSpool(disk, { onProblem: () => {} })) JSON.parse(line)
}
