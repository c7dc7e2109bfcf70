import type { Disk } from '../../disk/disk.ts'
import { decodeEvents } from '../events/decode-events.ts'
import type { BucketFile, FileRecord } from '../files/bucket-file.ts'
import { measure } from '../files/measure.ts'
import { localPath } from '../files/spool-paths.ts'
import { streamFrames } from '../framing/stream-frames.ts'
import { isTornEnd } from '../ledger/ledger.ts'
import { readSchemas, schemasPath } from '../parquet/schema-file.ts'
import { decodeBatch } from '../segment/record.ts'
import { isHeaderWhole } from '../segment/segment-layout.ts'
import { readSegment, type Withheld } from '../segment/segment-reader.ts'
import { listOrNone, type SegmentView, type SpoolView, viewSpool } from './view.ts'

/** Something that a person should look at. `problem`: events may be lost or stuck; `note`: nothing is wrong yet. */
export type Finding = { readonly level: 'problem' | 'note'; readonly file: string; readonly detail: string }

/** What a check of a spool found. */
export type Verdict = {
  readonly view: SpoolView
  /** Events that can be read from segments, and those in bucket files that wait or are quarantined. */
  readonly segmentEvents: number
  readonly fileEvents: number
  readonly checkedBytes: number
  readonly findings: readonly Finding[]
}

export type VerifyOptions = {
  /** A server runs on it: the end of its newest segment and a file on its way may change while we look. */
  readonly isHeld: boolean
  readonly onProgress?: (doneBytes: number, totalBytes: number, file: string) => void
}

/** Checks every byte of a spool without changing anything: ledger, segments, bucket files, quarantine. */
export const verifySpool = async (disk: Disk, options: VerifyOptions): Promise<Verdict> => {
  const view = await viewSpool(disk)
  const findings: Finding[] = []
  const note = (level: Finding['level'], file: string, detail: string): void =>
    void findings.push({ level, file, detail })
  const files = view.files.filter(({ state }) => state.at !== 'committed')
  const total = sum(view.segments.map(({ bytes }) => bytes)) + sum(files.map(({ file }) => file.length))
  let done = 0
  const progress = (bytes: number, file: string): void => {
    done += bytes
    options.onProgress?.(done, total, file)
  }

  if (view.collectorId === undefined)
    note('problem', 'id', 'The collector id is missing or damaged; a start makes a new one')
  await checkLedger(disk, options.isHeld, note)
  await checkSchemas(disk, note)
  let segmentEvents = 0
  for (const segment of view.segments) {
    const isOpen = options.isHeld && segment === view.segments.at(-1)
    segmentEvents += await checkSegment(disk, segment, isOpen, note)
    progress(segment.bytes, segment.path)
  }
  if (!options.isHeld)
    for (const { path, events, copy } of view.lost) {
      const there = copy === undefined ? '' : `; the next start takes its copy, if that is there: ${copy}`
      note('problem', path, `The file is gone, with ${events ?? 'an unknown number of'} events${there}`)
    }
  let fileEvents = 0
  for (const record of files) {
    fileEvents += record.file.events
    await checkFile(disk, record, options.isHeld, note)
    progress(record.file.length, record.file.name)
  }
  for (const { path, kind, reason } of view.quarantine) if (kind !== 'done') note('note', path, reason)
  await checkStrays(disk, view, options.isHeld, note)
  return { view, segmentEvents, fileEvents, checkedBytes: done, findings }
}

type Note = (level: Finding['level'], file: string, detail: string) => void

const checkLedger = async (disk: Disk, isHeld: boolean, note: Note): Promise<void> => {
  const ledger = (await disk.list('.')).find(({ name }) => name === 'ledger')
  if (!ledger) return note('note', 'ledger', 'There is no ledger yet')
  const end = await validEnd(disk.stream('ledger'))
  if (end < ledger.length && !isHeld && !isTornEnd(await disk.read('ledger', end)))
    note('problem', 'ledger', `Damaged from byte ${end} of ${ledger.length} on`)
}

const checkSchemas = async (disk: Disk, note: Note): Promise<void> => {
  const { damagedAt } = await readSchemas(disk)
  if (damagedAt !== undefined)
    note('problem', schemasPath, `Damaged from byte ${damagedAt} on: the columns of the event types behind are lost`)
}

const checkSegment = async (disk: Disk, segment: SegmentView, isOpen: boolean, note: Note): Promise<number> => {
  const { path } = segment
  let events = 0
  try {
    const all = await disk.read(path)
    const bytes = segment.end === undefined ? all : all.subarray(0, segment.end)
    if (!isHeaderWhole(bytes, path)) note('note', path, 'A copy of the header is damaged; the other one does')
    for (const part of readSegment(bytes, path)) {
      if (part.kind === 'withheld') {
        // A running server may be writing it.
        if (!(isOpen && part.end === bytes.length) && !part.isTorn) note('problem', path, toDamageText(part))
        continue
      }
      if (part.isRepaired) note('note', path, `The length at byte ${part.start} is damaged; the request can be read`)
      try {
        for (const _ of decodeEvents(decodeBatch(part.payload))) events++
      } catch (error) {
        note('problem', path, `The request at byte ${part.start} cannot be read: ${(error as Error).message}`)
      }
    }
    if (segment.end !== undefined) note('note', path, `A write failed; it ends at byte ${segment.end} of ${all.length}`)
  } catch (error) {
    note('problem', path, `Cannot be read: ${(error as Error).message}`)
  }
  return events
}

const toDamageText = ({ start, end, events }: Withheld): string =>
  `Damaged from byte ${start} to ${end}, with ${events === 1 ? '1 event' : `${events} events`} or more; what stands behind it can be read`

const checkFile = async (disk: Disk, { file, state }: FileRecord, isHeld: boolean, note: Note): Promise<void> => {
  const path = localPath(file.name, state.at)
  try {
    const found = await measure(disk, path)
    if (found.length === file.length && found.crc === file.crc) return
    note('problem', path, `Sealed with ${toText(file)}, found ${toText(found)}`)
  } catch (error) {
    // A running server may have committed it meanwhile, and will say so in its ledger.
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (isGone && isHeld) return
    note(
      'problem',
      path,
      isGone ? `Missing, with ${file.events} events` : `Cannot be read: ${(error as Error).message}`,
    )
  }
}

const checkStrays = async (disk: Disk, view: SpoolView, isHeld: boolean, note: Note): Promise<void> => {
  if (isHeld) return
  const known = new Set(view.files.map(({ file }) => file.name))
  for (const { name } of await listOrNone(disk, 'sealed')) {
    if (!known.has(name)) note('note', `sealed/${name}`, 'The ledger does not know it; the next start decides')
  }
}

const validEnd = async (pieces: AsyncIterable<Uint8Array>): Promise<number> => {
  const frames = streamFrames(pieces)
  let next = await frames.next()
  while (!next.done) next = await frames.next()
  return next.value
}

const toText = ({ length, crc }: Pick<BucketFile, 'length' | 'crc'>): string =>
  `${length} bytes and CRC ${crc.toString(16).padStart(8, '0')}`

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
