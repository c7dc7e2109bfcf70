import type { Disk, DiskEntry } from '../../disk/disk.ts'
import { type FileRecord, isConflict } from '../files/bucket-file.ts'
import { localDirectory, localPath } from '../files/spool-paths.ts'
import { targetPath, toNewName } from '../files/target-path.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LedgerState } from '../ledger/ledger-state.ts'

/** What is set aside, in `_quarantine/` and `_taken/`: the bytes on the disk, and what the ledger noted of them. */
export type SetAside = { readonly disk: Disk; readonly ledger: Ledger }

/** Something in `_quarantine/` or `_taken/`. */
export type QuarantineView = {
  readonly name: string
  /** Below the spool's directory. */
  readonly path: string
  readonly bytes: number
  /**
   * `file`: refused by the file system; `conflict`: another file has its name there; `taken`: it may have it; `damage`:
   * could not be turned into bucket files; `done`: replayed.
   */
  readonly kind: 'file' | 'conflict' | 'taken' | 'damage' | 'done' | 'unknown'
  readonly events: number
  readonly reason: string
  /** When the oldest event in it was kept, ms since the epoch; undefined where it is not a bucket file. */
  readonly oldest?: number
}

/** The outcome for one name. */
export type QuarantineOutcome = {
  readonly name: string
  readonly done: boolean
  readonly detail: string
}

/** Ends the name of a quarantined piece whose events were appended again. */
export const replayedSuffix = '.replayed'

/** Ends the name of one of which some events were appended again, and others still cannot be read. */
export const restSuffix = '.rest'

/** What these entries of `_quarantine` or `_taken` are. */
export const viewQuarantine = (
  directory: '_quarantine' | '_taken',
  entries: readonly DiskEntry[],
  state: LedgerState,
): QuarantineView[] =>
  entries
    .filter(({ name }) => !name.endsWith('.reason'))
    .map(({ name, length }) => {
      const piece = { name, path: `${directory}/${name}`, bytes: length }
      const record = state.files.get(name)
      if (record && 'reason' in record.state) {
        const kind = toKind(record.state)
        const { events, oldest } = record.file
        return { ...piece, kind, events, reason: record.state.reason, oldest }
      }
      const known = state.damage.get(name)
      if (known) return { ...piece, kind: 'damage', events: known.events, reason: known.reason }
      const isDone = name.endsWith(replayedSuffix)
      return {
        ...piece,
        kind: isDone ? 'done' : 'unknown',
        events: 0,
        reason: isDone ? 'Its events were appended again' : 'The ledger does not know this file',
      }
    })

type AsideState = Extract<FileRecord['state'], { readonly reason: string }>

const toKind = (state: AsideState): 'file' | 'conflict' | 'taken' => {
  if (state.at === 'taken') return 'taken'
  return isConflict(state) ? 'conflict' : 'file'
}

/**
 * Puts one bucket file that was set aside back into the queue; one that is not there (any more) is fine.
 * @param targetName its name in the file system from now on @default as before
 */
export const releaseFile = async ({ disk, ledger }: SetAside, name: string, targetName?: string): Promise<void> => {
  const record = ledger.state.files.get(name)
  if (!record || !('reason' in record.state)) return
  const { file, state } = record
  // In this order it can stop anywhere: a start puts files where the ledger says they are.
  const path = localPath(name, state.at)
  // Already there when the move aside failed halfway, or nowhere: then the commit finds that out again.
  await disk.rename(path, localPath(name, 'sealed')).catch(ignoreMissing)
  await disk.unlink(`${path}.reason`)
  // Both: a name that a power cut brings back would be sent again by a retry of all files.
  for (const directory of ['sealed', localDirectory(state.at)]) await disk.fsyncDir(directory)
  // One entry for both: a new name that a start knew alone, or did not know, would send the file under the wrong one.
  if (targetName === undefined) await ledger.append({ type: 'requeued', name })
  else await ledger.append({ type: 'files', files: [{ file: { ...file, targetName }, state: { at: 'sealed' } }] })
}

/**
 * Puts bucket files that were set aside, taken ones included, back into the queue; the next commit takes them.
 * @param underNewName beside the files that have their names in the file system; only for those of which that was seen
 */
export const releaseFiles = async (
  spool: SetAside,
  names: readonly string[],
  underNewName = false,
): Promise<readonly QuarantineOutcome[]> => {
  const outcomes: QuarantineOutcome[] = []
  for (const name of names) {
    const record = spool.ledger.state.files.get(name)
    if (!record || !('reason' in record.state)) {
      outcomes.push({ name, done: false, detail: 'is not a bucket file in quarantine' })
      continue
    }
    const { file, state } = record
    if (underNewName && toKind(state) !== 'conflict') {
      // It may be there under its own name: only under that does a commit notice.
      outcomes.push({
        name,
        done: false,
        detail: 'no other file was seen to have its name: release it without a new one',
      })
      continue
    }
    const targetName = underNewName ? toNewName(file) : undefined
    await releaseFile(spool, name, targetName)
    const path = targetPath(targetName === undefined ? file : { ...file, targetName })
    outcomes.push({ name, done: true, detail: `${file.events} events go to ${path}` })
  }
  return outcomes
}

/** Removes set-aside pieces permanently, with the ledger's notes of them; bucket files included. */
export const removeQuarantined = async (
  spool: SetAside,
  names: readonly string[],
): Promise<readonly QuarantineOutcome[]> => {
  const { disk, ledger } = spool
  const present = new Set((await disk.list('_quarantine')).map(entry => entry.name))
  const outcomes: QuarantineOutcome[] = []
  const removed: string[] = []
  for (const name of names) {
    // Bytes and notes may be apart: a removal that was cut short has taken one of them.
    const state = ledger.state.files.get(name)?.state
    const isBucketFile = state !== undefined && 'reason' in state
    if (!present.has(name) && !ledger.state.damage.has(name) && !isBucketFile) {
      outcomes.push({ name, done: false, detail: 'is not in quarantine' })
      continue
    }
    const path = isBucketFile ? localPath(name, state.at) : `_quarantine/${name}`
    await disk.unlink(path)
    await disk.unlink(`${path}.reason`)
    if (isBucketFile) await ledger.append({ type: 'removed', name })
    removed.push(name, name.replace(replayedSuffix, ''))
    outcomes.push({ name, done: true, detail: 'removed' })
  }
  await disk.fsyncDir('_quarantine')
  await disk.fsyncDir('_taken')
  await forgetDamage(spool, removed)
  return outcomes
}

/** Notes that quarantined pieces are taken care of, so that they count no longer. */
export const forgetDamage = async ({ ledger }: Pick<SetAside, 'ledger'>, files: readonly string[]): Promise<void> => {
  const known = files.filter(file => ledger.state.damage.has(file))
  if (known.length > 0) await ledger.append(...known.map(file => ({ type: 'resolved' as const, file })))
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}
