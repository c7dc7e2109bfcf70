import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import type { BucketFile, FileRecord } from '../files/bucket-file.ts'
import { measure } from '../files/measure.ts'
import { localPath, segmentOfFile } from '../files/spool-paths.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { readSealedList } from '../ledger/sealed-list.ts'

/** A file that a damaged ledger has forgotten. */
export type Forgotten = { readonly name: string; readonly directory: 'sealed' | '_quarantine' | '_taken' }

/**
 * Takes files back into the ledger that only its lost part knew, by the lists of what segments were sealed into. Those
 * that waited are sent again: where the file system has them already, their RENAME is refused, and name, length and CRC
 * prove that it is them. What was set aside stays so, with its reason, for `sluice spool quarantine release`.
 */
export const adoptFiles = async (
  disk: Disk,
  ledger: Ledger,
  forgotten: readonly Forgotten[],
  log: Logger,
): Promise<void> => {
  const lists = new Map<number, ReadonlyMap<string, BucketFile>>()
  const find = async (name: string): Promise<BucketFile | undefined> => {
    const segment = segmentOfFile(name)
    if (segment === undefined) return undefined
    let list = lists.get(segment)
    if (!list) {
      list = new Map((await readSealedList(disk, segment)).map(file => [file.name, file]))
      lists.set(segment, list)
    }
    return list.get(name)
  }
  for (const { name, directory } of forgotten) {
    const file = await find(name)
    if (directory === 'sealed') await adoptSealed(disk, ledger, name, file, log)
    else if (file) {
      const reason = await readReason(disk, `${directory}/${name}.reason`)
      await note(ledger, { file, state: { at: directory === '_taken' ? 'taken' : 'quarantined', reason } })
    }
  }
}

const adoptSealed = async (
  disk: Disk,
  ledger: Ledger,
  name: string,
  file: BucketFile | undefined,
  log: Logger,
): Promise<void> => {
  const found = await measure(disk, localPath(name, 'sealed'))
  if (file && found.length === file.length && found.crc === file.crc) {
    await note(ledger, { file, state: { at: 'sealed' } })
    log.warn({ file: name, events: file.events }, 'a sealed file was missing from the ledger; it is added again')
    return
  }
  const reason = file ? 'The ledger had lost this file, and it is damaged' : 'The ledger does not know this file'
  await disk.rename(localPath(name, 'sealed'), localPath(name, 'quarantined'))
  if (file) await note(ledger, { file, state: { at: 'quarantined', reason } })
  else await ledger.append({ type: 'damaged', damage: [{ file: name, bytes: found.length, events: 0, reason }] })
  log.error(
    { file: name, bytes: found.length, reason },
    'a sealed file is damaged or unknown; it is kept in quarantine',
  )
}

const note = (ledger: Ledger, record: FileRecord): Promise<void> => ledger.append({ type: 'files', files: [record] })

const readReason = async (disk: Disk, path: string): Promise<string> => {
  try {
    return new TextDecoder().decode(await disk.read(path)).trim()
  } catch {
    return 'The ledger had lost this file'
  }
}
