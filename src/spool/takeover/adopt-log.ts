/**
 * Continues a log that was taken, until all of it is in the file system:
 *
 *     closed, noted how much of it there is ─▶ copied to this machine ─▶ its requests are known here ─▶ sent ─▶ removed
 *
 * Each step finds out by itself how far an earlier process came.
 */
import type { Disk } from '../../disk/disk.ts'
import { toTemporaryRoot } from '../files/target-path.ts'
import { writeCopyNote } from '../replica/copy-note.ts'
import { toLogDirectory } from '../replica/log-directory.ts'
import { createRemoteDirectory } from '../replica/remote-directory.ts'
import { toRemoteName } from '../replica/remote-names.ts'
import { segmentPath } from '../segment/segment-files.ts'
import type { Spool } from '../spool.ts'
import { takeSpool } from '../tool/offline.ts'
import { replayQuarantine } from '../tool/replay.ts'
import { copyDown, hasSpool, type KeepFree } from './copy-down.ts'
import { removeNote } from './finished-logs.ts'
import type { Owner } from './owners.ts'
import { rewindLedger } from './rewind-ledger.ts'
import { inCallTime, listAt, recoverLeases, type Taking, takeTemporaries } from './take.ts'
import { isWholeLog, leaveNote, noteTaken } from './taken-note.ts'

/**
 * What is done with a log that was taken:
 *
 *     closing    no other collector can write it any more, and its last blocks are recovered
 *     copying    it comes to this machine
 *     sending    its events go to the file system
 *     removing   all of it is where it belongs
 */
export type TakingStep = 'closing' | 'copying' | 'sending' | 'removing'

/** A spool that another collector continues. */
export type AdoptedSpool = Pick<Spool, 'drain' | 'drainStatus' | 'stats' | 'close'>

export type AdoptLogOptions = Taking & {
  /** The disk for the spool of a collector, below our own. */
  readonly diskOf: (collectorId: string) => Disk
  /** Remembers the requests that the spool on a disk has kept. */
  readonly takeKeys: (disk: Disk) => Promise<void>
  /** Opens the spool of a log to continue it, with its files in this temporary directory. */
  readonly open: (owner: Owner, temporaryDirectory: string) => Promise<AdoptedSpool>
  /** Waits a moment. */
  readonly pause: () => Promise<unknown>
  readonly keepFree?: KeepFree | undefined
}

/**
 * How it ended: events that are in the file system, by its owners or by us; files that a person decides about (`left`), and
 * segments whose file is gone (`lost`).
 */
export type AdoptedLog = { readonly events: number; readonly left: number; readonly lost: readonly string[] }

export type AdoptLogWatch = {
  readonly onStep: (step: TakingStep) => void
  readonly onStatus: (status: Awaited<ReturnType<Spool['drainStatus']>>) => void
}

/** A log that was taken, as far as it is here. */
export type BroughtDown = {
  /** Where its files are that are on their way. */
  readonly temporaryDirectory: string
  /** Whether there is anything to continue: its owner may have gone before it was whole, or all of it may be sent. */
  readonly isWhole: boolean
}

/**
 * Makes sure that no other collector can write a log, and brings it to this machine as a spool that can be continued.
 * @param owner of a log whose name is ours by now
 */
export const bringDown = async (
  options: Taking & Pick<AdoptLogOptions, 'diskOf' | 'pause' | 'keepFree'>,
  owner: Owner,
  onStep: (step: TakingStep) => void,
): Promise<BroughtDown> => {
  const { fileSystem, outputDirectory, diskOf, pause } = options
  const directory = `${toLogDirectory(outputDirectory)}/${owner.name}`
  const disk = diskOf(owner.id)
  onStep('closing')
  const found = await listAt(fileSystem, directory)
  const isHere = await hasSpool(disk)
  if (isWholeLog(found) && !isHere) {
    const paths = found.map(({ path }) => path)
    await recoverLeases(options, paths, pause)
  }
  if (!isWholeLog(found)) {
    // Its owner continues under its id, with what it has sent, when it returns. Of an empty log the note was about to
    // be forgotten: another one would say that nothing was taken.
    if (found.length > 0) await inCallTime(options, directory, noteTaken(fileSystem, directory, found))
    return { temporaryDirectory: `${toTemporaryRoot(outputDirectory)}/${owner.name}`, isWhole: false }
  }
  // Behind that the old one notes no file as sent any more: what it sent before is in its place, or here.
  const temporaryDirectory = await takeTemporaries(options, owner)
  if (isHere) return { temporaryDirectory, isWhole: true }
  // What has a name for the time being does no harm, and lengths are true from here on.
  const closed = await listAt(fileSystem, directory)
  await inCallTime(options, directory, noteTaken(fileSystem, directory, closed))
  onStep('copying')
  await copyDown(options, closed, disk, owner.id, async () => {
    await rewindLedger(disk, temporaryDirectory)
    // From here on a copy that is not there is one that somebody has taken.
    await writeCopyNote(disk, { directory })
  })
  return { temporaryDirectory, isWhole: true }
}

/** Removes a log of which nothing is left to do, here and there; the note of what was taken stays. */
export const removeLog = async (
  { fileSystem, outputDirectory, diskOf }: Pick<AdoptLogOptions, 'fileSystem' | 'outputDirectory' | 'diskOf'>,
  { id, name }: Owner,
): Promise<void> => {
  const directory = `${toLogDirectory(outputDirectory)}/${name}`
  const files = await listAt(fileSystem, directory)
  await leaveNote(fileSystem, files)
  if (files.length === 0) await removeNote(fileSystem, directory)
  await fileSystem.delete(`${toTemporaryRoot(outputDirectory)}/${name}`, { recursive: true })
  await diskOf(id).removeDirectory('.')
}

/** @param owner of a log whose name is ours by now */
export const adoptLog = async (options: AdoptLogOptions, owner: Owner, watch: AdoptLogWatch): Promise<AdoptedLog> => {
  const { diskOf, takeKeys, open } = options
  const { temporaryDirectory, isWhole: isLeft } = await bringDown(options, owner, watch.onStep)
  let adopted: AdoptedLog = { events: 0, left: 0, lost: [] }
  if (isLeft) {
    // Before anything of it is in the file system: who repeats a request hears that it was kept.
    await takeKeys(diskOf(owner.id))
    watch.onStep('sending')
    adopted = await send(await open(owner, temporaryDirectory), options, watch)
    // Its reason may be over: a table may have been repaired, and the log in HDFS is whole where that of a bad disk was not.
    if (adopted.left > 0 && (await replaySetAside(options, owner)) > 0)
      adopted = await send(await open(owner, temporaryDirectory), options, watch)
    // With the log the ledger would go, and with that the only note of what is not there.
    if (adopted.left > 0 || adopted.lost.length > 0) return adopted
  }
  watch.onStep('removing')
  await removeLog(options, owner)
  return adopted
}

/** @returns the events to deliver, in a segment of their own */
const replaySetAside = async (
  { fileSystem, outputDirectory, diskOf }: AdoptLogOptions,
  { id, name }: Owner,
): Promise<number> => {
  const spool = await takeSpool(diskOf(id))
  const log = createRemoteDirectory(fileSystem, `${toLogDirectory(outputDirectory)}/${name}`, () => 0)
  const readCopy = (segment: number) => log.read(toRemoteName(segmentPath(segment)))
  try {
    return (await replayQuarantine({ ...spool, readCopy })).reduce((sum, { events }) => sum + events, 0)
  } finally {
    await spool.close()
  }
}

const send = async (
  spool: AdoptedSpool,
  { signal, pause }: AdoptLogOptions,
  { onStatus }: AdoptLogWatch,
): Promise<AdoptedLog> => {
  try {
    await spool.drain()
    for (;;) {
      signal.throwIfAborted()
      const status = await spool.drainStatus()
      onStatus(status)
      const { waiting, quarantined, taken } = status.left
      if (waiting.files === 0) {
        const { totalFlushedEvents: events, lostSegments: lost } = spool.stats()
        return { events, left: quarantined.files + taken.files, lost }
      }
      await pause()
    }
  } finally {
    await spool.close()
  }
}
