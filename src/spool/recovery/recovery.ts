import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import type { Logger } from '../../log/log.ts'
import type { KeptIdentity } from '../batch.ts'
import { checkFormats, noteFormat } from '../directory/formats.ts'
import { directories, parseUnsealedName, segmentInName, unsealedName } from '../files/spool-paths.ts'
import type { Invariant } from '../invariants/invariants.ts'
import { type KeyLimits, type KeyStore, openKeyStore } from '../keys/key-store.ts'
import type { Damage } from '../ledger/damage-list.ts'
import { type Ledger, openLedger } from '../ledger/ledger.ts'
import type { SegmentFacts } from '../ledger/ledger-entry.ts'
import { isSealed, type LedgerState, notedSegments } from '../ledger/ledger-state.ts'
import { type KeptSchemaView, openSchemaView } from '../parquet/schema-view.ts'
import { scanSegment } from '../seal/seal.ts'
import { readFirstKept } from '../segment/segment-age.ts'
import { type ClosedSegment, parseSegmentName, segmentName, segmentPath } from '../segment/segment-files.ts'
import { placeFiles } from './place-files.ts'
import { findSealedBefore, type SealedBefore } from './sealed-before.ts'

/** A segment that was not sealed yet; its keys are known unless it could not be read. */
export type FoundSegment = ClosedSegment & {
  readonly events: number
  readonly bytes: number
  /** When its first event was kept, ms since the epoch; undefined where that cannot be read. */
  readonly since: number | undefined
  readonly hasKnownKeys: boolean
}

/** What a start found on the disk. */
export type Recovered = {
  readonly collectorId: string
  readonly ledger: Ledger
  readonly keys: KeyStore
  readonly schemas: KeptSchemaView
  /** Segments that were not sealed yet, oldest first, and the events in them. */
  readonly segments: readonly FoundSegment[]
  /** Those of them that were sealed before. */
  readonly again: SealedBefore
  readonly nextSegment: number
}

/**
 * Makes the spool's directory whole again after a stop at any point: finishes what the ledger says was decided, forgets
 * what it does not know, and keeps every readable event. Never refuses to start over damaged content, nor on a full
 * disk, where the ledger follows once there is space.
 * @throws UnknownFormat when another version wrote it; nothing is changed then
 */
export const recoverSpool = async (
  disk: Disk,
  flushEnabled: boolean,
  log: Logger,
  limits: KeyLimits = noLimits,
  invariant?: Invariant,
): Promise<Recovered> => {
  await checkFormats(disk)
  const schemas = await openSchemaView(disk, log)
  const keys = await openKeyStore(disk, limits, log)
  for (const directory of directories) await disk.mkdir(directory)
  const scans = new Map<number, Scan>()
  let wasDamaged = false
  const keepDamaged = async (damaged: Uint8Array): Promise<Damage> => {
    wasDamaged = true
    const file = `ledger-${crc32(damaged).toString(16)}.damaged`
    await writeSynced(disk, `_quarantine/${file}`, damaged)
    await disk.fsyncDir('_quarantine')
    log.error(
      { file, bytes: damaged.length },
      'the end of the ledger was damaged; the damaged bytes are kept in quarantine',
    )
    return { file, bytes: damaged.length, events: 0, reason: 'The end of the ledger was damaged' }
  }
  const inspect = async (state: LedgerState): Promise<void> => {
    keys.expectFiles(state)
    for (const { at, ...idempotency } of state.oldKeys) keys.note({ idempotency }, at)
    for (const number of await unsealedSegments(disk, state))
      if (!state.closed.has(number)) scans.set(number, await scan(disk, number, state, log))
  }
  const ledger = await openLedger(disk, flushEnabled, keepDamaged, {
    inspect,
    keepKeys: () => keys.flush(),
    ...(invariant ? { invariant } : {}),
  })
  await noteFormat(disk)
  const collectorId = await readOrMakeId(disk, ledger.state, log)
  await returnSegments(disk, ledger)
  const again = findSealedBefore(ledger.state, await unsealedSegments(disk, ledger.state))
  await placeFiles(disk, ledger, again, log)
  const found = await findSegments(disk, ledger, keys, scans, wasDamaged, log)
  return { collectorId, ledger, keys, schemas, again, ...found }
}

/** What a tool wants to know. */
const noLimits: KeyLimits = { maxKeys: Number.MAX_SAFE_INTEGER, maxEventIds: Number.MAX_SAFE_INTEGER }

const readOrMakeId = async (disk: Disk, state: LedgerState, log: Logger): Promise<string> => {
  const entries = await disk.list('.')
  if (entries.some(({ name }) => name === 'id')) {
    const id = new TextDecoder().decode(await disk.read('id')).trim()
    if (/^[0-9a-f]{32}$/.test(id)) return id
    // The id only has to be unique: a damaged one is replaced, and its file is kept.
    await disk.rename('id', `_quarantine/id-${Date.now()}.damaged`)
  }
  const id = randomBytes(16).toString('hex')
  await disk.unlink('id.next')
  await writeSynced(disk, 'id.next', new TextEncoder().encode(`${id}\n`))
  await disk.rename('id.next', 'id')
  await disk.fsyncDir('.')
  if (state.lastSealed > 0 || (await disk.list('log')).length > 0) {
    const message =
      'the id of the spool was missing or damaged: a new one is used. List temporary files of the old id with sluice spool strays'
    log.warn({ collectorId: id }, message)
  }
  return id
}

/** Segments that were being set aside when the process ended: where the ledger does not know of one, its events are due. */
const returnSegments = async (disk: Disk, ledger: Ledger): Promise<void> => {
  for (const { name } of await disk.list('_quarantine')) {
    const number = parseUnsealedName(name)
    if (number === undefined) continue
    if (isSealed(ledger.state, number)) await noteBack(ledger, number)
    else {
      await disk.rename(`_quarantine/${name}`, segmentPath(number))
      await disk.fsyncDir('log')
    }
  }
}

/** Notes that a segment that was given up as lost is in quarantine. */
const noteBack = async (ledger: Ledger, number: number): Promise<void> => {
  const file = segmentName(number)
  const lost = ledger.state.damage.get(file)
  if (!lost?.lost) return
  const reason = 'The segment came back after it was given up as lost'
  const by = { file: unsealedName(number), bytes: 0, events: lost.events, reason }
  // Where this fails, the next start finds it there.
  await ledger.append({ type: 'replaced', file, by }).catch(() => {})
}

/** From here on a start does not read the segment: its keys are safe elsewhere before. */
export const noteClosed = async (ledger: Ledger, keys: KeyStore, segment: number, events: number): Promise<void> => {
  await keys.flush()
  await ledger.append({ type: 'closed', segment, events, ...keys.newestFiles })
}

/** What a segment holds that the ledger does not know as closed; not `isWhole` when it could not be read. */
type Scan = SegmentFacts & { readonly keys: readonly KeptIdentity[]; readonly isWhole: boolean }

const unsealedSegments = async (disk: Disk, state: LedgerState): Promise<number[]> =>
  (await disk.list('log')).flatMap(({ name }) => {
    const number = parseSegmentName(name)
    return number === undefined || isSealed(state, number) ? [] : [number]
  })

const scan = async (disk: Disk, number: number, { ends }: LedgerState, log: Logger): Promise<Scan> => {
  const path = segmentPath(number)
  let bytes: Uint8Array | undefined
  try {
    // A killed process may have left bytes that the disk does not have yet, and a key in them is answered from now on.
    await disk.fsync(path)
    bytes = await disk.read(path)
  } catch (error) {
    log.error({ segment: number, err: error }, 'a segment cannot be read; sealing is retried')
  }
  const facts = scanSegment(bytes?.subarray(0, ends.get(number)) ?? new Uint8Array(), path)
  return { ...facts, isWhole: bytes !== undefined }
}

/** Segments are sealed in order: this one was, and then the process ended before its file was removed; or it came back. */
const forget = async (disk: Disk, ledger: Ledger, number: number): Promise<void> => {
  if (!ledger.state.damage.get(segmentName(number))?.lost) return await disk.unlink(segmentPath(number))
  await disk.rename(segmentPath(number), `_quarantine/${unsealedName(number)}`)
  await disk.fsyncDir('_quarantine')
  await noteBack(ledger, number)
}

/** Numbers are not used again, also when the ledger is lost: what was set aside keeps its name to itself. */
const highestNumber = async (disk: Disk): Promise<number> => {
  let highest = 0
  for (const directory of ['sealed', '_quarantine', '_taken'] as const) {
    for await (const names of disk.names(directory))
      highest = names.reduce((last, name) => Math.max(last, segmentInName(name)), highest)
  }
  return highest
}

const findSegments = async (
  disk: Disk,
  ledger: Ledger,
  keys: KeyStore,
  scans: ReadonlyMap<number, Scan>,
  wasDamaged: boolean,
  log: Logger,
): Promise<Pick<Recovered, 'segments' | 'nextSegment'>> => {
  const { state } = ledger
  const segments: FoundSegment[] = []
  const lengths = new Map((await disk.list('log')).map(({ name, length }) => [parseSegmentName(name), length]))
  const present = [...lengths.keys()].filter(number => number !== undefined)
  const noted = notedSegments(state)
  let last = Math.max(state.lastSealed, await highestNumber(disk))
  // Those whose file is gone, too: sealing finds that out, and says so.
  for (const number of [...new Set([...present, ...noted])].sort((a, b) => a - b)) {
    last = Math.max(last, number)
    if (isSealed(state, number)) {
      await forget(disk, ledger, number)
      continue
    }
    const known = state.closed.get(number)
    const size = { bytes: lengths.get(number) ?? 0, since: await readFirstKept(disk, number) }
    if (wasDamaged && !present.includes(number)) {
      segments.push({ number, events: known ?? 0, ...size, hasKnownKeys: true, mayBeSealed: true })
      continue
    }
    if (known !== undefined) {
      segments.push({ number, events: known, ...size, hasKnownKeys: true })
      continue
    }
    const end = state.ends.get(number)
    const { keys: found, events, isWhole } = scans.get(number) ?? (await scan(disk, number, state, log))
    for (const identity of found) keys.note(identity, identity.at)
    segments.push({ number, events, ...size, hasKnownKeys: isWhole, ...(end === undefined ? {} : { end }) })
    // Where this fails, the next start reads the segment again.
    if (isWhole && end === undefined) await noteClosed(ledger, keys, number, events).catch(() => {})
  }
  const events = segments.reduce((sum, segment) => sum + segment.events, 0)
  if (segments.length > 0) log.info({ segments: segments.length, events }, 'segments of an earlier run found')
  return { segments, nextSegment: last + 1 }
}
