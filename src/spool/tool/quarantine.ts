import { localPath } from '../spool-paths.ts'
import { forgetDamage, type OfflineSpool } from './offline.ts'
import { replayedSuffix } from './view.ts'

/** What became of one name. */
export type QuarantineOutcome = {
  readonly name: string
  readonly done: boolean
  readonly detail: string
}

/** Puts bucket files that were set aside, taken ones included, back into the queue; the next start commits them. */
export const releaseFiles = async (
  { disk, ledger }: OfflineSpool,
  names: readonly string[],
): Promise<readonly QuarantineOutcome[]> => {
  const outcomes: QuarantineOutcome[] = []
  for (const name of names) {
    const record = ledger.state.files.get(name)
    if (!record || !('reason' in record.state)) {
      outcomes.push({ name, done: false, detail: 'is not a bucket file in quarantine' })
      continue
    }
    // In this order it can stop anywhere: a start puts files where the ledger says they are.
    const path = localPath(name, record.state.at)
    await disk.rename(path, localPath(name, 'sealed')).catch(ignoreMissing)
    await disk.unlink(`${path}.reason`)
    await disk.fsyncDir('sealed')
    await ledger.append({ type: 'requeued', name })
    outcomes.push({ name, done: true, detail: `${record.file.events} events go to ${record.file.directory}` })
  }
  return outcomes
}

/** Removes pieces that were set aside for ever, with what the ledger noted of them; bucket files included. */
export const removeQuarantined = async (
  spool: OfflineSpool,
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

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error
}
