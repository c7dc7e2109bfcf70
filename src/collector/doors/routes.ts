import { SluiceError } from '../../errors.ts'
import type { CallAnswer } from '../../http/call/answer.ts'
import type { Call } from '../../http/call/call.ts'
import { doorFormats } from '../formats/doors.ts'
import type { Intake } from '../intake.ts'
import { type AuthorizeKey, createPostEvent, type PostEventParams } from '../post-event.ts'
import type { DoorName } from './door-names.ts'
import { intakeHeaders } from './intake-headers.ts'
import { noFlags } from './posthog.ts'

/** Handlers of the doors that have routes of their own, by operation. */
export type DoorHandlers = {
  readonly [Id in keyof typeof doorFormats | 'postPostHogFlags' | 'postPostHogDecide']: (
    call: Call<PostEventParams>,
  ) => CallAnswer
}

/** Routes of doors that are not open do not exist, and say why. */
export const createDoorHandlers = (intake: Intake, authorizeKey: AuthorizeKey | undefined): DoorHandlers => {
  const behind = (door: DoorName, answer: (call: Call<PostEventParams>) => CallAnswer) => {
    return (call: Call<PostEventParams>): CallAnswer => {
      if (!intake.settings().doors.has(door)) throw notOpen(door)
      // It records nothing, and its answer has no body.
      return call.method === 'HEAD' ? new Response(null, { headers: intakeHeaders }) : answer(call)
    }
  }
  const post = (id: keyof typeof doorFormats) => {
    const format = doorFormats[id]
    return behind(
      format.door,
      createPostEvent(intake, () => format, authorizeKey),
    )
  }
  return {
    postOtlpLogs: post('postOtlpLogs'),
    postSegment: post('postSegment'),
    postSnowplow: post('postSnowplow'),
    getSnowplow: post('getSnowplow'),
    postPostHogBatch: post('postPostHogBatch'),
    postPostHogCapture: post('postPostHogCapture'),
    postPostHogE: post('postPostHogE'),
    postPostHogEvent: post('postPostHogEvent'),
    postFirehose: post('postFirehose'),
    postPostHogFlags: behind('posthog', noFlags),
    postPostHogDecide: behind('posthog', noFlags),
  }
}

const notOpen = (door: DoorName): SluiceError =>
  new SluiceError('not-found', `There is nothing at this path: the setting collector.doors lacks ${door}`, {
    headers: intakeHeaders,
  })
