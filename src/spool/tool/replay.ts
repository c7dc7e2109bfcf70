import { FormatError } from '../../errors.ts'
import { decodeEvents } from '../events/decode-events.ts'
import type { BucketFile, FileRecord } from '../files/bucket-file.ts'
import { parseUnsealedName } from '../files/spool-paths.ts'
import { targetPath } from '../files/target-path.ts'
import type { Damage } from '../ledger/damage-list.ts'
import type { LedgerEntry } from '../ledger/ledger-entry.ts'
import { toOwnKey } from '../own-key.ts'
import { replayedSuffix, restSuffix } from '../quarantine/quarantine.ts'
import type { KeptBatch } from '../segment/record.ts'
import type { OfflineSpool } from './offline.ts'
import { pickEvents } from './pick-events.ts'
import { replayFile } from './replay-file.ts'
import { toReplayKey } from './replay-key.ts'
import { salvage, salvageBatches } from './salvage.ts'
import { createSegmentBuilder, type SegmentBuilder } from './segment-writer.ts'

/** The outcome for one quarantined piece. */
export type Replayed = {
  readonly name: string
  /** Events appended to the spool again. */
  readonly events: number
  /** Empty when all went well. */
  readonly problem: string
  /** What still cannot be read, and stays in quarantine under this name. @default nothing */
  readonly rest?: Damage
}

export type ReplayOptions = {
  /** Names in `_quarantine/`. @default every damaged piece of a segment that the ledger knows, and every file whose table is gone */
  readonly only?: readonly string[]
  readonly onProgress?: (done: number, total: number, file: string) => void
}

/**
 * Appends the readable part of damaged segments to the spool again, and marks the pieces as done. A piece whose events
 * were stored in part is left alone, unless it is known which: replaying it would store them twice. If part of a piece
 * still cannot be read, that part stays in quarantine, as `….rest`, with the events that it may hold. Run again after a
 * crash, it continues.
 */
export const replayQuarantine = async (spool: OfflineSpool, options: ReplayOptions = {}): Promise<Replayed[]> => {
  const { disk, ledger } = spool
  const { damage } = ledger.state
  const names = options.only ?? [
    ...new Set(
      damage
        .values()
        .map(({ file }) => file)
        .filter(isSegmentPiece),
    ),
    ...ledger.state.files
      .inState('quarantined')
      .filter(isOfNoTable)
      .map(({ file }) => file.name),
  ]
  const present = new Set((await disk.list('_quarantine')).map(({ name }) => name))
  const writer = createSegmentBuilder(spool)
  const results: Replayed[] = []
  const done: Replayed[] = []
  try {
    for (const [index, name] of names.entries()) {
      options.onProgress?.(index, names.length, name)
      const known = damage.get(name)
      const record = ledger.state.files.get(name)
      const result =
        record && isOfNoTable(record)
          ? await tryFile(spool, writer, record.file)
          : !known
            ? { name, events: 0, problem: 'The ledger knows no damaged piece of this name' }
            : present.has(name)
              ? await replayPiece(spool, writer, name, known)
              : // An earlier run stopped before the ledger knew that it was done.
                await resume(spool, present, name, known)
      results.push(result)
      if (result.problem === '' || result.rest) done.push(result)
    }
    await writer.publish()
  } catch (error) {
    await writer.discard()
    throw error
  }
  for (const { name, rest } of done) {
    const suffix = rest ? restSuffix : replayedSuffix
    if (present.has(name)) await disk.rename(`_quarantine/${name}`, `_quarantine/${name}${suffix}`)
    await disk.unlink(`_quarantine/${name}.reason`)
  }
  await disk.fsyncDir('_quarantine')
  await ledger.append(...done.map(one => (ledger.state.files.get(one.name) ? toRemoved(one) : toEntry(one))))
  options.onProgress?.(names.length, names.length, '')
  return results
}

const toEntry = ({ name, rest }: Replayed): LedgerEntry =>
  rest ? { type: 'replaced', file: name, by: rest } : { type: 'resolved', file: name }

const toRemoved = ({ name }: Replayed): LedgerEntry => ({ type: 'removed', name })

const isOfNoTable = ({ state }: FileRecord): boolean => state.at === 'quarantined' && state.tableGone === true

const tryFile = async (spool: OfflineSpool, writer: SegmentBuilder, file: BucketFile): Promise<Replayed> => {
  try {
    return { name: file.name, events: await replayFile(spool, writer, file), problem: '' }
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    // An earlier run stopped before the ledger knew that it was done.
    const isDone =
      isGone && (await spool.disk.list('_quarantine')).some(one => one.name === `${file.name}${replayedSuffix}`)
    if (isDone) return { name: file.name, events: 0, problem: '' }
    if (!isGone && !(error instanceof FormatError)) throw error
    const where = `It is neither here nor in the log in HDFS: look for it at ${targetPath(file)}`
    return { name: file.name, events: 0, problem: isGone ? where : (error as Error).message }
  }
}

const isSegmentPiece = (name: string): boolean =>
  /^segment-\d+-\d+\.damaged$/.test(name) || parseUnsealedName(name) !== undefined

const resume = async (
  { disk }: OfflineSpool,
  present: ReadonlySet<string>,
  name: string,
  damage: Damage,
): Promise<Replayed> => {
  if (present.has(`${name}${replayedSuffix}`)) return { name, events: 0, problem: '' }
  if (!present.has(`${name}${restSuffix}`)) return { name, events: 0, problem: 'It is missing' }
  return { name, events: 0, ...toRest(name, damage, await disk.read(`_quarantine/${name}${restSuffix}`)) }
}

/** What of a piece cannot be read: no fewer events than were missing before. */
const toRest = (name: string, damage: Damage, bytes: Uint8Array): Pick<Replayed, 'problem' | 'rest'> => {
  const sum = { bytes: 0, events: 0, found: 0 }
  for (const part of salvage(bytes, name)) {
    if (part.kind === 'batch') sum.found += part.batch.events.length
    else {
      sum.bytes += part.bytes
      sum.events += part.events
    }
  }
  if (sum.bytes === 0) return { problem: '' }
  const file = `${name}${restSuffix}`
  const events = Math.max(sum.events, damage.events - sum.found)
  const problem = `${sum.bytes} bytes with at least ${plural(sum.events, 'event')} still cannot be read; kept as ${file}`
  const reason = `Its other ${plural(sum.found, 'event')} were appended again; before: ${damage.reason}`
  return { problem, rest: { file, bytes: sum.bytes, events, reason, withheld: true } }
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const replayPiece = async (
  { disk, keys }: OfflineSpool,
  writer: SegmentBuilder,
  name: string,
  damage: Damage,
): Promise<Replayed> => {
  if (!isSegmentPiece(name)) return { name, events: 0, problem: 'It is not a piece of a segment' }
  const path = `_quarantine/${name}`
  const bytes = await disk.read(path)
  const found = [...salvageBatches(bytes, path)].map(one => ({ ...one, batch: pickRefused(one.batch, damage) }))
  if (found.length === 0) return { name, events: 0, problem: 'Nothing in it can be read' }
  const total = found.reduce((sum, { batch }) => sum + batch.events.length, 0)
  // A request of which some events could not be written: the others are in bucket files already.
  const mayBePart = !damage.withheld && parseUnsealedName(name) === undefined
  if (mayBePart && damage.events > 0 && damage.events < total) {
    return { name, events: 0, problem: `${total - damage.events} of its ${total} events are stored already; see dump` }
  }
  const unreadable = found.find(({ batch }) => !isReadable(batch))
  if (unreadable) return { name, events: 0, problem: `The request at byte ${unreadable.start} still cannot be read` }
  // Several tables may refuse parts of one request, one after the other.
  const part = damage.refused ? `:${JSON.stringify(damage.refused.toSorted())}` : ''
  let events = 0
  for (const { batch, start } of found) {
    const key = toOwnKey(`replay:${name}:${start}${part}`)
    if (keys.has(key)) continue
    await writer.append({ ...batch, ...toReplayKey(key, batch.events) }, batch.keptAt)
    events += batch.events.length
  }
  return { name, events, ...toRest(name, damage, bytes) }
}

/** Of a request of which a table refused some events, those: the others are in files. */
const pickRefused = (batch: KeptBatch, { refused, events: missing }: Damage): KeptBatch => {
  const picked = pickEvents(batch, ({ name }) => refused?.includes(name) === true)
  return picked.events.length === missing ? picked : batch
}

const isReadable = (batch: KeptBatch): boolean => {
  try {
    return [...decodeEvents(batch)].length === batch.events.length
  } catch {
    return false
  }
}
