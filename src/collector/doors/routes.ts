import { SluiceError } from '../../errors.ts'
import type { CallAnswer } from '../../http/call/answer.ts'
import type { Call } from '../../http/call/call.ts'
import { doorFormats } from '../formats/doors.ts'
import type { IntakeFormat } from '../formats/intake-format.ts'
import type { Intake } from '../intake.ts'
import { type AuthorizeKey, createPostEvent, type PostEventParams } from '../post-event.ts'
import { intakeHeaders } from './intake-headers.ts'

/** Handlers of the doors that have routes of their own, by operation. */
export type DoorHandlers = {
  readonly [Id in keyof typeof doorFormats]: (call: Call<PostEventParams>) => CallAnswer
}

/** Routes of doors that are not open do not exist, and say why. */
export const createDoorHandlers = (intake: Intake, authorizeKey: AuthorizeKey | undefined): DoorHandlers => {
  const create = (format: IntakeFormat) => {
    const post = createPostEvent(intake, () => format, authorizeKey)
    return (call: Call<PostEventParams>): CallAnswer => {
      const { door } = format
      if (door !== undefined && !intake.settings().doors.has(door)) throw notOpen(door)
      // It records nothing, and its answer has no body.
      return call.method === 'HEAD' ? new Response(null, { headers: intakeHeaders }) : post(call)
    }
  }
  return {
    postSegment: create(doorFormats.postSegment),
    postSnowplow: create(doorFormats.postSnowplow),
    getSnowplow: create(doorFormats.getSnowplow),
  }
}

const notOpen = (door: string): SluiceError =>
  new SluiceError('not-found', `There is nothing at this path: the setting collector.doors lacks ${door}`, {
    headers: intakeHeaders,
  })
