import { SluiceError } from '../../errors.ts'
import { isObject } from '../../formats/members.ts'
import type { EventHead } from '../../spool/batch.ts'
import { checkEventName } from '../../spool/bucket.ts'
import type { Sent } from '../live/feed.ts'
import { type Report, schemaMismatch } from '../submit/submission.ts'
import type { RefusedMisfits } from './misfits.ts'
import type { RefusedPiece } from './refused-request.ts'
import type { SentBody } from './sent-bodies.ts'

/** What is known of a request with refused events. */
export type RefusedParts = {
  /** Why, in short; of the first one where there are many. */
  readonly code: string
  readonly detail: string
  /** The client's report, if its request was read. */
  readonly report: Report | undefined
  readonly body: SentBody | undefined
  readonly misfits: RefusedMisfits | undefined
}

/**
 * What is stored of them: where nothing of the request was kept, the request as one, so that it can be sent again as it was; else
 * each event for itself.
 */
export const toPieces = (parts: RefusedParts): readonly RefusedPiece[] => {
  const { report } = parts
  const whole = toWhole(parts)
  if (report === undefined) return [whole]
  const isWhole = whole.sent === undefined || whole.sent.bytes.length === whole.sent.length
  return report.accepted === 0 && isWhole ? [whole] : toEventPieces(parts, report)
}

const toWhole = ({ code, detail, report, body, misfits }: RefusedParts): RefusedPiece => {
  const [first] = report?.errors ?? []
  const sent = body?.sent ?? misfits?.body
  return {
    code: first?.code ?? code,
    detail: first?.detail ?? detail,
    events: report?.rejected ?? 1,
    type: misfits?.events[0]?.type ?? guessType(sent),
    sent,
    contentType: body === undefined ? misfits?.contentType : undefined,
    eventIds: misfits?.eventIds,
    ...toDates(misfits?.heads ?? []),
  }
}

/** One date where all events have the same. */
const toDates = (heads: readonly EventHead[]): Pick<RefusedPiece, 'head' | 'dates'> => {
  const [first] = heads
  if (first === undefined || heads.every(({ date }) => date === first.date)) return { head: first }
  return { head: { granularity: first.granularity }, dates: heads.map(({ date }) => date) }
}

type EventParts = Pick<RefusedParts, 'misfits'> & { readonly body: Pick<SentBody, 'events'> | undefined }

/** Each refused event by itself, and the rest of a request as one. */
export const toEventPieces = (parts: EventParts, report: Report): RefusedPiece[] => {
  const listed = toListedPieces(parts, report)
  const events = report.rejected - listed.length
  if (events <= 0) return listed
  const [first] = listed
  const code = first?.code ?? report.errors[0]?.code ?? ''
  const type = first !== undefined && listed.every(one => one.type === first.type) ? first.type : ''
  const detail = `Events of the request beyond the first ${listed.length} that were refused; nothing else is stored of them`
  return [...listed, { code, detail, type, events, isRest: true }]
}

const toListedPieces = ({ body, misfits }: EventParts, { errors }: Report): RefusedPiece[] => {
  const refused = new Map(misfits?.events.map(misfit => [misfit.position, misfit]))
  return errors.flatMap(({ index: position, code, detail }): RefusedPiece[] => {
    if (code !== schemaMismatch) {
      const { sent, contentType } = body?.events.get(position) ?? {}
      return [{ code, detail, position, events: 1, type: guessType(sent), sent, contentType }]
    }
    const misfit = refused.get(position)
    // It was kept all the same.
    if (misfit === undefined) return []
    const { type, sent, eventIds, head } = misfit
    return [{ code, detail, position, events: 1, type, sent, contentType: misfits?.contentType, eventIds, head }]
  })
}

/** The name of the first event in what looks like JSON; empty where no event could be read. */
const guessType = (sent: Sent | undefined): string => {
  const first = sent?.bytes.find(byte => byte > 0x20)
  if (sent === undefined || sent.bytes.length < sent.length || (first !== 0x7b && first !== 0x5b)) return ''
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(sent.bytes))
    const event: unknown = Array.isArray(value) ? value[0] : value
    const name = isObject(event) ? event['eventName'] : undefined
    if (typeof name !== 'string') return ''
    checkEventName(name)
    return name
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof SluiceError) return ''
    throw error
  }
}
