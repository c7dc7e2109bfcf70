import { expect, test } from 'vitest'
import { eventsOf, nameOf, names, requestKinds, toRequest } from '../../soak/requests.ts'
import { findEvents } from '../../suites/marks.ts'

test.each(requestKinds)('toRequest: %s holds each of its events once', kind => {
  const events = Array.from({ length: eventsOf(kind) }, (_, i) => 1_234_560 + i)
  const request = toRequest(kind, events, 1_767_323_045_000)
  // Scribe's messages are in base64.
  const bytes = 'frame' in request ? decodeMessages(request.frame) : (request.body ?? Buffer.from(request.path))
  expect(findEvents(bytes)).toEqual(events)
})

test('nameOf: event types take turns', () => {
  expect([0, 1, 2, 3].map(nameOf)).toEqual([...names, names[0]])
})

const decodeMessages = (frame: Uint8Array): Buffer => {
  const text = Buffer.from(frame).toString('latin1')
  return Buffer.concat([...text.matchAll(/\d{13}:([\w+/=]+)/g)].map(([, data = '']) => Buffer.from(data, 'base64')))
}
