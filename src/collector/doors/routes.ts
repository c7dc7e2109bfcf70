import { SluiceError } from '../../errors.ts'
import type { CallAnswer } from '../../http/call/answer.ts'
import type { Call } from '../../http/call/call.ts'
import { doorFormats } from '../formats/doors.ts'
import type { Intake } from '../intake.ts'
import { type AuthorizeKey, createPostEvent, type PostEventParams } from '../post-event.ts'
import type { DoorName } from './door-names.ts'
import { intakeHeaders } from './intake-headers.ts'
import { noFlags, postHogSettings, rudderStackSettings, type SettingsParams, segmentSettings } from './sdk-settings.ts'

/** Handlers of the doors that have routes of their own, by operation. */
export type DoorHandlers = {
  readonly [Id in keyof typeof doorFormats]: (call: Call<PostEventParams>) => CallAnswer
} & {
  readonly [Id in 'postPostHogFlags' | 'postPostHogDecide' | 'getRudderStackSettings']: (
    call: Call<unknown>,
  ) => CallAnswer
} & {
  readonly [Id in 'getSegmentSettings' | 'getPostHogSettings']: (call: Call<SettingsParams>) => CallAnswer
}

/** Routes of doors that are not open do not exist, and say why. */
export const createDoorHandlers = (intake: Intake, authorizeKey: AuthorizeKey | undefined): DoorHandlers => {
  const behind = <Params>(door: DoorName, answer: (call: Call<Params>) => CallAnswer) => {
    return (call: Call<Params>): CallAnswer => {
      if (!intake.settings().doors.has(door)) throw notOpen(door)
      return answer(call)
    }
  }
  const post = (id: keyof typeof doorFormats) => {
    const format = doorFormats[id]
    const take = createPostEvent(intake, () => format, authorizeKey)
    return behind<PostEventParams>(format.door, call =>
      // It records nothing, and its answer has no body.
      call.method === 'HEAD' ? new Response(null, { headers: intakeHeaders }) : take(call),
    )
  }
  return {
    postOtlpLogs: post('postOtlpLogs'),
    postSegment: post('postSegment'),
    postRudderStackBeacon: post('postRudderStackBeacon'),
    postSnowplow: post('postSnowplow'),
    getSnowplow: post('getSnowplow'),
    postPostHogBatch: post('postPostHogBatch'),
    postPostHogCapture: post('postPostHogCapture'),
    postPostHogE: post('postPostHogE'),
    postPostHogEvent: post('postPostHogEvent'),
    postFirehose: post('postFirehose'),
    getSegmentSettings: behind('segment', segmentSettings),
    getRudderStackSettings: behind('segment', rudderStackSettings),
    getPostHogSettings: behind('posthog', postHogSettings),
    postPostHogFlags: behind('posthog', noFlags),
    postPostHogDecide: behind('posthog', noFlags),
  }
}

const notOpen = (door: DoorName): SluiceError =>
  new SluiceError('not-found', `Not found: the door is closed; add it to collector.doors: ${door}`, {
    headers: intakeHeaders,
  })
