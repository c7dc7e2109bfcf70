import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import { type BucketFile, mayGoLater, type QuarantineMarks } from '../files/bucket-file.ts'
import { OtherTable } from '../files/other-table.ts'
import { localDirectory, localPath } from '../files/spool-paths.ts'
import { NameTaken, targetPath } from '../files/target-path.ts'
import { createInTurn, type InTurn } from '../heartbeat/in-turn.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { releaseFile } from './quarantine.ts'

/** Moves bucket files of a running spool aside and back, one at a time. */
export type QuarantineMoves = {
  /**
   * Once the ledger has the entry the file counts as set aside, wherever it is: a start moves it to its place as well.
   */
  setAside(file: BucketFile, at: 'quarantined' | 'taken', reason: string, why?: unknown): Promise<void>
  /** Puts a quarantined file back into the queue, unless it was moved meanwhile. */
  release(name: string): Promise<void>
  /**
   * Puts quarantined files back into the queue; never those in `_taken/`.
   * @param before files whose oldest event was kept by then, ms since the epoch
   * @param which `may go`: not those that wait for a person
   */
  requeue(before: number, which: 'all' | 'may go'): Promise<void>
  /** In which all of that is done: what else moves such files does it here as well. */
  readonly inTurn: InTurn
}

export const createQuarantineMoves = (disk: Disk, ledger: Ledger, log: Logger): QuarantineMoves => {
  const inTurn = createInTurn()

  const noteAside: QuarantineMoves['setAside'] = async (file, at, reason, why) => {
    await ledger.append({ type: at, name: file.name, reason, ...(at === 'quarantined' ? toMarks(why) : {}) })
    const fields = { file: file.name, target: targetPath(file), events: file.events, reason }
    if (at === 'taken')
      log.warn(fields, 'a file was moved to _taken: it may have been committed, but is not found at its target')
    else log.error(fields, 'a file was quarantined')
    await moveAside(disk, file.name, at, reason).catch((err: unknown) =>
      log.warn({ file: file.name, err }, 'a quarantined file could not be moved; the next start retries'),
    )
  }

  const release = (name: string): Promise<void> =>
    inTurn(async () => {
      // It may have been put back meanwhile, and its next attempt may have ended in `_taken/`.
      if (ledger.state.files.get(name)?.state.at === 'quarantined') await releaseFile({ disk, ledger }, name)
    })

  return {
    setAside: (...what) => inTurn(() => noteAside(...what)),
    release,
    requeue: async (before, which) => {
      for (const { file, state } of ledger.state.files.inState('quarantined')) {
        if (file.oldest > before || (which === 'may go' && !mayGoLater(state))) continue
        await release(file.name)
      }
    },
    inTurn,
  }
}

const toMarks = (why: unknown): QuarantineMarks => {
  if (why instanceof NameTaken) return { nameTaken: true }
  return why instanceof OtherTable ? { tableGone: true } : {}
}

const moveAside = async (disk: Disk, name: string, at: 'quarantined' | 'taken', reason: string): Promise<void> => {
  const path = localPath(name, at)
  await disk.rename(localPath(name, 'sealed'), path).catch(ignoreMissing)
  await disk.fsyncDir(localDirectory(at))
  await disk.fsyncDir('sealed')
  // For people; the ledger has the reason as well.
  const note = await disk.create(`${path}.reason`).catch(() => undefined)
  await note?.append(new TextEncoder().encode(`${reason}\n`))
  await note?.close()
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}
