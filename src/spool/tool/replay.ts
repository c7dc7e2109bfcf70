import type { Damage } from '../damage-list.ts'
import { decodeEvents } from '../decode-events.ts'
import { forgetDamage, replayedSuffix } from '../quarantine.ts'
import type { KeptBatch } from '../record.ts'
import { parseUnsealedName } from '../spool-paths.ts'
import type { OfflineSpool } from './offline.ts'
import { salvageBatches } from './salvage.ts'
import { createSegmentWriter, type SegmentWriter } from './segment-writer.ts'

/** What became of one quarantined piece. */
export type Replayed = {
  readonly name: string
  /** Events appended to the spool again. */
  readonly events: number
  /** Empty when all went well. */
  readonly problem: string
}

export type ReplayOptions = {
  /** Names in `_quarantine/`. @default every damaged piece of a segment that the ledger knows */
  readonly only?: readonly string[]
  readonly onProgress?: (done: number, total: number, file: string) => void
}

/**
 * Appends what can be read of damaged segments to the spool again, and marks the pieces as done. A piece whose events
 * were stored in part is left alone: replaying it would store them twice. Run again after a crash, it goes on.
 */
export const replayQuarantine = async (spool: OfflineSpool, options: ReplayOptions = {}): Promise<Replayed[]> => {
  const { disk, ledger } = spool
  const { damage } = ledger.state
  const names = options.only ?? [...new Set(damage.values().map(({ file }) => file))].filter(isSegmentPiece)
  const present = new Set((await disk.list('_quarantine')).map(({ name }) => name))
  const writer = createSegmentWriter(spool)
  const results: Replayed[] = []
  const done: string[] = []
  try {
    for (const [index, name] of names.entries()) {
      options.onProgress?.(index, names.length, name)
      const known = damage.get(name)
      const result = !known
        ? { name, events: 0, problem: 'The ledger knows no damaged piece of this name' }
        : present.has(name)
          ? await replayPiece(spool, writer, name, known)
          : // An earlier run stopped before the ledger knew that it was done.
            { name, events: 0, problem: present.has(`${name}${replayedSuffix}`) ? '' : 'It is missing' }
      results.push(result)
      if (result.problem === '') done.push(name)
    }
    await writer.publish()
  } catch (error) {
    await writer.discard()
    throw error
  }
  for (const name of done)
    if (present.has(name)) await disk.rename(`_quarantine/${name}`, `_quarantine/${name}${replayedSuffix}`)
  await disk.fsyncDir('_quarantine')
  await forgetDamage(spool, done)
  options.onProgress?.(names.length, names.length, '')
  return results
}

const isSegmentPiece = (name: string): boolean =>
  /^segment-\d+-\d+\.damaged$/.test(name) || parseUnsealedName(name) !== undefined

const replayPiece = async (
  { disk, keys }: OfflineSpool,
  writer: SegmentWriter,
  name: string,
  damage: Damage,
): Promise<Replayed> => {
  if (!isSegmentPiece(name)) return { name, events: 0, problem: 'It is not a piece of a segment' }
  const found = [...salvageBatches(await disk.read(`_quarantine/${name}`))]
  if (found.length === 0) return { name, events: 0, problem: 'Nothing in it can be read' }
  const total = found.reduce((sum, { batch }) => sum + batch.events.length, 0)
  // A request of which some events could not be written: the others are in bucket files already.
  if (damage.events > 0 && parseUnsealedName(name) === undefined && damage.events < total) {
    return { name, events: 0, problem: `${total - damage.events} of its ${total} events are stored already; see dump` }
  }
  const unreadable = found.find(({ batch }) => !isReadable(batch))
  if (unreadable) return { name, events: 0, problem: `The request at byte ${unreadable.start} still cannot be read` }
  let events = 0
  for (const { batch, start } of found) {
    const key = `replay:${name}:${start}`
    if (keys.has(key)) continue
    await writer.append({ ...batch, idempotency: toKey(key, batch) }, batch.keptAt)
    events += batch.events.length
  }
  return { name, events, problem: '' }
}

const isReadable = (batch: KeptBatch): boolean => {
  try {
    return [...decodeEvents(batch)].length === batch.events.length
  } catch {
    return false
  }
}

const toKey = (key: string, { events }: KeptBatch): NonNullable<KeptBatch['idempotency']> => ({
  key,
  fingerprint: key,
  outcome: { accepted: events.length, rejected: 0, errors: [] },
})
