/**
 * CloudEvents 1.0 over HTTP, structured and batched; `binary-cloudevents.ts` has the third mode. The payload is the event in
 * the JSON event format.
 *
 * | CloudEvents | Sluice |
 * |---|---|
 * | `type` | name |
 * | `time` | date |
 * | `source` and `id` | identity |
 */
import { quoteClient } from '../parsers/event-date.ts'
import { parseIsoDate } from '../parsers/iso-date.ts'
import { type DoorEvents, toId } from './door-events.ts'
import { createDoorFormat } from './door-format.ts'
import { toEventName } from './event-name.ts'

/** The result for an event in the JSON event format. */
export const cloudEventHead: DoorEvents['toHead'] = ({ specversion, id, source, type, time }) => {
  if (specversion !== '1.0') return `specversion is ${describe(specversion)}; expected "1.0"`
  for (const [name, value] of Object.entries({ id, source, type })) {
    if (typeof value !== 'string' || value === '') return `${name} is ${describe(value)}; expected a text`
  }
  const date = typeof time === 'string' ? parseIsoDate(time) : undefined
  return { name: toEventName(type, 'CloudEvent'), date, id: toId(JSON.stringify([source, id])) }
}

const describe = (value: unknown): string => {
  if (value === undefined) return 'missing'
  return typeof value === 'string' ? quoteClient(value) : 'not a text'
}

const api = 'POST_CloudEvents_API'

/** One event as a JSON object. */
export const cloudEvent = createDoorFormat({
  door: 'cloudevents',
  api,
  mediaTypes: ['application/cloudevents+json'],
  events: { forms: { one: true }, toHead: cloudEventHead },
})

/** Events as a JSON array. */
export const cloudEventBatch = createDoorFormat({
  door: 'cloudevents',
  api,
  mediaTypes: ['application/cloudevents-batch+json'],
  events: { forms: { array: true }, toHead: cloudEventHead },
})
