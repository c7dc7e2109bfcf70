import type { DecodedEvent, Payload } from './decode-events.ts'
import { toThriftPayload } from './thrift-payload.ts'

/** An event as it can be posted again. */
export const wrapPayload = (event: DecodedEvent): { eventName: string; payload: Payload } => ({
  eventName: event.head.name,
  payload: toPayload(event),
})

/** The payload with its event's name in front; one that has such a member itself stays as it is. */
export const flattenPayload = (event: DecodedEvent): Payload => {
  const payload = toPayload(event)
  return Object.hasOwn(payload, 'eventName') ? payload : { eventName: event.head.name, ...payload }
}

const toPayload = (event: DecodedEvent): Payload => (event.kind === 'smile' ? event.payload : toThriftPayload(event))
