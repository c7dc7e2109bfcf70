import type { Api } from '../../spool/apis.ts'
import type { Batch, Rejection } from '../../spool/batch.ts'
import type { RequestContext } from '../annotations.ts'
import { type Filters, isRequestFiltered } from '../filters.ts'
import { type Mismatch, type MismatchAction, maxListedRejections, type Parsed } from '../parsed.ts'
import { addRows } from '../refused/add-rows.ts'
import { keepMisfits } from '../refused/misfits.ts'
import { setAside } from '../refused/set-aside.ts'
import type { Validator } from '../validation/validator.ts'
import { toEventIds } from './event-ids.ts'
import { type Report, type Submission, type SubmittedReplay, schemaMismatch } from './submission.ts'

/** What decides which events of a request are kept. */
export type PrepareParts = {
  readonly filters: Filters
  /** @default nothing is compared with schemas */
  readonly validate?: Validator | undefined
}

/** A request of which it is known what is to be kept, and what its client hears then. Nothing is counted yet. */
export type Prepared = {
  readonly api: Api
  /** Undefined where nothing is left to keep. */
  readonly batch: Batch | undefined
  /** The trace of the events, on demand. */
  readonly context: Pick<RequestContext, 'traceparent'> | undefined
  readonly report: Report
  /** Positions of the batch's events in the body as sent, if they have ids: set-aside events are in another batch. */
  readonly indexes?: readonly number[] | undefined
  /** Events that filters have dropped. */
  readonly filtered: number
  /** Events of the batch that do not fit their schemas. */
  readonly mismatches: readonly Mismatch[]
  /** Events that are refused because they do not fit. */
  readonly refused: readonly Mismatch[]
  /** The request is one event by its form. */
  readonly isSingle: boolean
  /** It was refused before, and is sent in again. @default false */
  readonly isReplay?: boolean | undefined
  /** Rows at the end of the batch: of events of a replay that are refused again. They count as nothing. @default 0 */
  readonly rest?: number | undefined
}

/** A request with something to keep. */
export type Keepable = Prepared & { readonly batch: Batch }

export const isToBeKept = (prepared: Prepared): prepared is Keepable => prepared.batch !== undefined

/** Filters the events of a request, and compares them with their schemas. */
export const prepare = (parts: PrepareParts, submission: Submission): Prepared => {
  const { filters, validate } = parts
  const { api, receivedAt, parsed, context, peer, replay } = submission
  const { format, body, isSingle = false } = parsed
  const passed = context ? withoutFiltered(filters, context, parsed.events) : parsed.events
  const judged = findMismatches(validate, parsed, passed)
  const found = replay && wouldAllBeAside(judged, passed) ? judged.map(toStay) : judged
  const refused = withAction(found, 'reject')
  const toPosition = (index: number): number => toRequestIndex(index, parsed)
  if (refused.length > 0) keepMisfits(submission, refused, toPosition)
  const mismatches = refused.length === 0 ? found : found.filter(({ action }) => action !== 'reject')
  const events = withoutMismatches(passed, refused)
  const caller = context?.clientAddress ?? peer
  const batch = withIds({ api, caller, receivedAt, format, events, body }, toEventIds(submission, events))
  const prepared: Prepared = {
    api,
    batch: events.length === 0 ? undefined : keepApart(batch, withAction(mismatches, 'set-aside'), toPosition),
    context,
    indexes: batch.eventIds && events.map(({ index }) => index),
    // Filtered events count as accepted towards the client, who is not to know.
    report: toReport(parsed, found, refused),
    filtered: parsed.events.length - passed.length,
    mismatches,
    refused,
    isSingle,
  }
  return replay === undefined ? prepared : prepareReplay(prepared, submission, replay)
}

/**
 * Events of a replay that are refused again go the same way as the rest: their rows are in the same record, so that a
 * crash loses neither and keeps nothing twice. If such rows are impossible, the whole replay stays in its place.
 */
const prepareReplay = (prepared: Prepared, submission: Submission, replay: SubmittedReplay): Prepared => {
  const { filtered } = prepared
  const report = filtered === 0 ? prepared.report : { ...prepared.report, filtered }
  const whole: Prepared = { ...prepared, report, isReplay: true }
  if (!isToBeKept(whole) || report.rejected === 0) return whole
  const rows = replay.toRest(submission, report)
  if (rows !== undefined) return { ...whole, batch: addRows(whole.batch, rows), rest: rows.length }
  const rejected = report.rejected + report.accepted - filtered
  return { ...whole, batch: undefined, mismatches: [], report: { ...report, accepted: filtered, rejected } }
}

/** They then stay in their place, and can be sent in again when their contract is fixed. */
const wouldAllBeAside = (judged: readonly Mismatch[], passed: Parsed['events']): boolean =>
  judged.length === passed.length && judged.every(({ action }) => action !== 'warn')

const toStay = (mismatch: Mismatch): Mismatch => ({ ...mismatch, action: 'reject' })

/** Most batches have no ids. */
const withIds = (batch: Batch, eventIds: Uint8Array | undefined): Batch =>
  eventIds === undefined ? batch : { ...batch, eventIds }

/** In the same record: all of a request is kept, or nothing. */
const keepApart = (batch: Batch, aside: readonly Mismatch[], toPosition: (index: number) => number): Batch =>
  aside.length === 0 ? batch : setAside(batch, aside, toPosition)

/** Most requests have no mismatch at all. */
const withAction = (mismatches: readonly Mismatch[], wanted: MismatchAction): readonly Mismatch[] =>
  mismatches.length === 0 ? mismatches : mismatches.filter(({ action }) => action === wanted)

const withoutFiltered = (filters: Filters, context: RequestContext, events: Parsed['events']): Parsed['events'] => {
  if (isRequestFiltered(filters, context)) return []
  const types = filters['event-type']
  return types.isEmpty ? events : events.filter(event => !types.matches(event.name))
}

/** The parsed values end here in any case: they must not outlive the wait for the disk. */
const findMismatches = (
  validate: Validator | undefined,
  { format, body, takeValues, areNative, mismatches }: Parsed,
  events: Parsed['events'],
): readonly Mismatch[] => {
  if (mismatches) return withinEvents(mismatches, events)
  const values = takeValues?.()
  return validate ? validate({ format, body, events, values, areNative }) : []
}

/** Those of events that no filter has dropped. */
const withinEvents = (mismatches: readonly Mismatch[], events: Parsed['events']): readonly Mismatch[] => {
  if (mismatches.length === 0) return mismatches
  const passed = new Set(events.map(({ index }) => index))
  return mismatches.filter(({ index }) => passed.has(index))
}

const withoutMismatches = (events: Parsed['events'], mismatches: readonly Mismatch[]): Parsed['events'] => {
  if (mismatches.length === 0) return events
  const refused = new Set(mismatches.map(({ index }) => index))
  return events.filter(({ index }) => !refused.has(index))
}

const toReport = (parsed: Parsed, mismatches: readonly Mismatch[], refused: readonly Mismatch[]): Report => {
  const { events, rejections, loneSurrogates = 0 } = parsed
  const plain = { accepted: events.length, rejected: rejections.count, errors: rejections.errors }
  const { likelySeconds } = rejections
  const dated = likelySeconds === 0 ? plain : { ...plain, likelySeconds }
  const report = loneSurrogates === 0 ? dated : { ...dated, loneSurrogates }
  if (mismatches.length === 0) return report
  const listed = mismatches.slice(0, maxListedRejections - rejections.errors.length)
  const found = listed.map(({ index, detail }): Rejection => {
    return { index: toRequestIndex(index, parsed), code: schemaMismatch, detail }
  })
  const errors = [...rejections.errors, ...found].sort((a, b) => a.index - b.index)
  const { length } = refused
  const whole = { ...report, accepted: events.length - length, rejected: rejections.count + length, errors }
  if (length === mismatches.length) return whole
  const kept = { ...whole, mismatched: mismatches.length - length }
  if (length === 0) return kept
  const isKept = (_: Rejection, at: number): boolean => listed[at]?.action !== 'reject'
  return { ...kept, keptIndexes: found.filter(isKept).map(({ index }) => index) }
}

/**
 * The position in the request of an event in the body. They differ in rewritten bodies, which hold the good events
 * only; the events of all others keep their positions, and the last one is beyond their number.
 */
const toRequestIndex = (position: number, { events, rejections }: Parsed): number => {
  if (events.at(-1)?.index !== events.length - 1) return position
  let index = position
  for (const refused of rejections.indexes) {
    if (refused > index) break
    index++
  }
  return index
}
