import { hash } from 'node:crypto'
import type { Current } from '../../current.ts'
import type { Batch } from '../../spool/batch.ts'
import { eventIdBytes } from '../../spool/event-ids.ts'
import type { Spool } from '../../spool/spool.ts'
import type { CollectorSettings } from '../settings.ts'
import { toRefusedHead } from './add-rows.ts'
import type { Refusal } from './refusal-log.ts'
import type { RefusedRequest } from './refused-request.ts'
import { toRefusedRow, toRowEvent } from './refused-row.ts'

/** The outcomes for refused events, since the start. */
export type RefusedFigures = {
  /** Events represented by rows of `_refused`: most in full or in part, the last of many in one request as a number. */
  readonly kept: number
  /** Counted alone: beyond `collector.refused.max-bytes-per-hour`. */
  readonly beyondLimit: number
  /** Counted alone: the spool did not take them. */
  readonly failed: number
}

/** Stores what is refused. */
export type RefusedKeeper = {
  /** Resolves once the events are stored, or will not be; it never rejects. Undefined where nothing of them is to be stored. */
  keep(refusal: Refusal): Promise<void> | undefined
  readonly figures: RefusedFigures
}

export type RefusedKeeperOptions = {
  readonly spool: Pick<Spool, 'append' | 'recallIds'>
  readonly settings: Current<Pick<CollectorSettings, 'maxRefusedBytesPerHour'>>
  /** ms since the epoch. */
  readonly now: () => number
}

const hourMs = 3_600_000

/** Puts refused events into the spool, as events of the server's own, as many as an hour may have. */
export const createRefusedKeeper = ({ spool, settings, now }: RefusedKeeperOptions): RefusedKeeper => {
  const figures = { kept: 0, beyondLimit: 0, failed: 0 }
  let hour = 0
  let bytes = 0
  const isWithinLimit = (more: number): boolean => {
    const current = Math.floor(now() / hourMs)
    if (current !== hour) {
      hour = current
      bytes = 0
    }
    if (bytes + more > settings().maxRefusedBytesPerHour) return false
    bytes += more
    return true
  }
  return {
    figures,
    keep: refusal => {
      const { request } = refusal
      if (request === undefined || request.pieces.length === 0) return undefined
      const id = toRowsId(request)
      const append = (): Promise<void> | undefined => {
        const batch = toBatch(refusal, request, id)
        const told = request.pieces.reduce((sum, { events }) => sum + events, 0)
        if (!isWithinLimit(batch.body.length)) {
          figures.beyondLimit += told
          return undefined
        }
        return spool.append(batch).then(
          () => {
            figures.kept += told
          },
          () => {
            figures.failed += told
          },
        )
      }
      return id === undefined ? append() : appendNew(spool, id, append)
    },
  }
}

/**
 * Rows of a request with a key are in a record of their own after that of its other events: a crash may leave the one
 * without the other. Its retry stores them then, and never twice.
 */
const appendNew = (
  spool: Pick<Spool, 'recallIds'>,
  id: Uint8Array,
  append: () => Promise<void> | undefined,
): Promise<void> | undefined => {
  const { kept, ahead } = spool.recallIds(id)
  if (ahead !== undefined) return ahead.then(() => appendNew(spool, id, append))
  return kept.length > 0 ? undefined : append()
}

const toBatch = (refusal: Refusal, request: RefusedRequest, id: Uint8Array | undefined): Batch => {
  const { api, peer } = refusal
  const rows = request.pieces.map(piece => toRefusedRow(refusal, request, piece))
  return {
    api,
    caller: peer,
    receivedAt: request.receivedAt,
    format: 'json',
    events: rows.map(toRefusedHead),
    body: Buffer.from(JSON.stringify(rows.map(toRowEvent))),
    ...(id === undefined ? {} : { eventIds: Buffer.concat([id], rows.length * eventIdBytes) }),
  }
}

/**
 * Distinguishes the rows of a request from those of all others; the first row has it as its id, because they share one
 * record. The rows of an attempt of which nothing was accepted cannot be sent in again once a part is accepted, or its
 * key was used for something else: events refused then get additional rows.
 */
const toRowsId = ({ retry, key, pieces: [first] }: RefusedRequest): Uint8Array | undefined => {
  if (retry === undefined) return undefined
  const isWhole = first?.position === undefined && first?.isRest !== true
  const text = JSON.stringify(['refused', retry, key !== undefined, isWhole])
  return hash('sha256', text, 'buffer').subarray(0, eventIdBytes)
}
