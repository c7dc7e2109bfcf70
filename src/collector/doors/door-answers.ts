import { createFixedResponse } from '../../http/answers/fixed-response.ts'
import type { Call } from '../../http/call/call.ts'
import type { Outcome } from '../../spool/batch.ts'
import { intakeHeaders } from './intake-headers.ts'

/** The answers of a door to its senders, in the words of its own servers. */
export type DoorAnswers = {
  /** When everything was taken. @default as for the collector's own formats */
  readonly accepted?: (outcome: Outcome, call: Pick<Call, 'header'>) => Response
  /** When a part was refused, and not all. @default 400, with what was accepted and what was not */
  readonly refused?: (outcome: Outcome, call: Pick<Call, 'header'>) => Response
}

/** A JSON answer as intake routes have it. */
export const jsonAnswer = (body: unknown): Response => createFixedResponse(200, jsonHeaders, JSON.stringify(body))

const jsonHeaders = { ...intakeHeaders, 'content-type': 'application/json' }
