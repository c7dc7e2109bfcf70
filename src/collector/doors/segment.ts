/**
 * Segment and RudderStack: calls of their SDKs, alone at `/v1/track` and the like or in batches at `/v1/batch`, or `/beacon/v1/batch`.
 *
 * | Segment | Sluice |
 * |---|---|
 * | `event` of a `track` call, else the `type` | name |
 * | `timestamp`, else `originalTimestamp` | date; never corrected by `sentAt`, which is another at each try |
 * | `messageId` | identity |
 */
import { SluiceError } from '../../errors.ts'
import { parseIsoDate } from '../parsers/iso-date.ts'
import { jsonAnswer } from './door-answers.ts'
import { type DoorEvents, toId } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { toEventName } from './event-name.ts'

/** Types of calls by the last part of a path; browsers use the short ones. */
const callTypes: Readonly<Record<string, string | undefined>> = {
  batch: undefined,
  b: undefined,
  track: 'track',
  t: 'track',
  identify: 'identify',
  i: 'identify',
  page: 'page',
  p: 'page',
  screen: 'screen',
  s: 'screen',
  group: 'group',
  g: 'group',
  alias: 'alias',
  a: 'alias',
}

const success = jsonAnswer({ success: true })
const answers = { accepted: () => success }

/** Calls of one path. @throws SluiceError `not-found`: there is no such call */
const toEvents = (target: string): DoorEvents => {
  const [, call = ''] = /^(?:\/beacon)?\/v1\/(\w+)\/?(?:\?|$)/.exec(target) ?? []
  if (!Object.hasOwn(callTypes, call)) throw new SluiceError('not-found', 'No route has this path')
  const ofPath = callTypes[call]
  return {
    forms: { one: true, lists: [{ name: 'batch' }] },
    more: ofPath === undefined ? {} : { type: JSON.stringify(ofPath) },
    toHead: ({ type = ofPath, event, timestamp, originalTimestamp, messageId }) => {
      if (typeof type !== 'string' || type === '') return 'type is missing; expected track, identify, page or the like'
      const date = [timestamp, originalTimestamp].find(one => typeof one === 'string')
      return {
        name: toEventName(type === 'track' ? event : type, type),
        date: typeof date === 'string' ? parseIsoDate(date) : undefined,
        id: toId(messageId),
      }
    },
    answers,
  }
}

/** Calls of the SDKs of Segment and RudderStack. */
export const segment = createDoorFormat({
  door: 'segment',
  api: 'POST_Segment_API',
  mediaTypes: [],
  keys: ['writeKey'],
  // Those of RudderStack, and all of browsers, drop what gets a 408.
  refusals: { statuses: { 408: 503 } },
  events: ({ call }) => toEvents(call.target),
})
