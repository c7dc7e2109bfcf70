import type { Disk } from '../../disk/disk.ts'
import { isDiskFull } from '../../disk/is-disk-full.ts'
import type { Logger } from '../../log/log.ts'
import { localDirectory, localPath, segmentOfFile } from '../files/spool-paths.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { isSealed, unsettledSegments } from '../ledger/ledger-state.ts'
import { parseSegmentName } from '../segment/segment-files.ts'
import { adoptFiles, type Forgotten } from './forgotten-files.ts'
import type { SealedBefore } from './sealed-before.ts'

/** Where bucket files may be. */
const fileDirectories = ['sealed', '_quarantine', '_taken'] as const

/** Brings each local file to where the ledger says it is, and removes what it does not know. @param again segments that are sealed again */
export const placeFiles = async (disk: Disk, ledger: Ledger, again: SealedBefore, log: Logger): Promise<void> => {
  const { files } = ledger.state
  const unknown = await lookFor(disk, ledger, log)
  // Copies of committed files in `sealed/` are durably removed before the ledger forgets them: otherwise a power cut
  // could bring one back, unknown, and it would be sent again.
  await disk.fsyncDir('sealed')
  // Found nowhere: whose local copy is gone, as it should be, or else was lost.
  let gone: string[] = []
  const noteGone = async (): Promise<void> => {
    const removed = gone.map(name => ({ type: 'removed' as const, name }))
    gone = []
    // Once there is space, the removal of old files finds these missing.
    await ledger.append(...removed).catch(ignoreDiskFull)
  }
  const unsettled = unsettledSegments(ledger.state)
  for (const { file, state } of files.missing()) {
    // Its state is to be known then, and it is listed again.
    if (again.has(file.segment)) continue
    // It is in the file system, and its local copy is not needed to make it part of its table.
    if (state.at === 'placed') continue
    if (state.at !== 'committed') {
      log.error({ file: file.name, events: file.events }, 'a sealed file is missing from the spool')
      // A collector that takes over would send one of an unsettled segment again.
    } else if (!unsettled.has(file.segment) && gone.push(file.name) === namesAtOnce) await noteGone()
  }
  if (gone.length > 0) await noteGone()
  const segments = new Set((await disk.list('log')).map(({ name }) => parseSegmentName(name)))
  const forgotten: Forgotten[] = []
  for (const one of unknown) {
    const segment = segmentOfFile(one.name) ?? 0
    // Its events are still in the log, and will be sealed again; one that was sealed and came back is removed.
    const isUnsealed = one.directory === 'sealed' && !isSealed(ledger.state, segment) && segments.has(segment)
    if (isUnsealed) await disk.unlink(localPath(one.name, 'sealed'))
    // Only a damaged ledger forgets a file whose segment is gone, or goes: it may hold the only copy of its events.
    else forgotten.push(one)
  }
  await adoptFiles(disk, ledger, forgotten, log)
  for (const directory of fileDirectories) await disk.fsyncDir(directory)
}

/**
 * Marks the files that exist, and moves those that are in another directory.
 * @returns those that the ledger does not know
 */
const lookFor = async (disk: Disk, { state: { files } }: Ledger, log: Logger): Promise<readonly Forgotten[]> => {
  const unknown: Forgotten[] = []
  const misplaced: { readonly name: string; readonly from: string }[] = []
  for (const directory of fileDirectories) {
    for await (const names of disk.names(directory)) {
      for (const name of names) {
        const known = files.get(name)
        if (known && localDirectory(known.state.at) === directory) files.markFound(name)
        else if (known) misplaced.push({ name, from: directory })
        else unknown.push({ name, directory })
      }
    }
  }
  const missing = new Map(
    misplaced.length === 0
      ? []
      : Array.from(files.missing(), ({ file, state }) => [file.name, localPath(file.name, state.at)]),
  )
  for (const { name, from } of misplaced) {
    const to = missing.get(name)
    if (to === undefined) continue
    await disk.rename(`${from}/${name}`, to)
    files.markFound(name)
    missing.delete(name)
    log.info({ file: name }, 'a file was moved to where the ledger says it is')
  }
  return unknown
}

/** Names per ledger entry. */
const namesAtOnce = 1_000

const ignoreDiskFull = (error: unknown): void => {
  if (!isDiskFull(error)) throw error
}
