import { describe, expect, test } from 'vitest'
import type { DoorHandlers } from '../../../../src/collector/doors/routes.ts'
import { doorFormats, toDoorRefusal } from '../../../../src/collector/formats/doors.ts'
import { OutcomeUnknown, SluiceError } from '../../../../src/errors.ts'
import { createTestCollector, knock } from '../fakes.ts'

/** After which statuses senders retry: by their sources, as of 2026-11-26. */
type Retries = (status: number) => boolean
const isServerError: Retries = status => status >= 500
const isOneOf =
  (...statuses: readonly number[]): Retries =>
  status =>
    statuses.includes(status)
const either =
  (...ways: readonly Retries[]): Retries =>
  status =>
    ways.some(way => way(status))
const snowplowRetries: Retries = status => status >= 300 && ![400, 401, 403, 410, 422].includes(status)

const senders: [name: string, id: keyof typeof doorFormats, retries: Retries][] = [
  ['@segment/analytics-node, segment-analytics-python', 'postSegment', either(isServerError, isOneOf(408, 410, 429))],
  ['@segment/analytics-next', 'postSegment', either(isServerError, isOneOf(429))],
  ['@rudderstack/rudder-sdk-node', 'postSegment', either(isServerError, isOneOf(429))],
  ['posthog-node, posthog-python', 'postPostHogBatch', either(isServerError, isOneOf(408, 429))],
  ['posthog-js', 'postPostHogE', isServerError],
  ['Snowplow trackers', 'postSnowplow', snowplowRetries],
  ['Snowplow trackers by GET', 'getSnowplow', snowplowRetries],
  ['OTLP exporters', 'postOtlpLogs', isOneOf(429, 502, 503, 504)],
]

describe.each(senders)('%s', (_, id, retries) => {
  const heard = (status: number): number => doorFormats[id].refusals?.statuses?.[status] ?? status

  test.each([408, 429, 503])('what may be taken later is sent again: %i', status => {
    expect(retries(heard(status))).toBe(true)
  })

  test.each([400, 401, 403, 413, 414, 415, 422])('what will never be taken holds nothing up: %i', status => {
    expect(retries(heard(status))).toBe(false)
  })
})

describe('answers', () => {
  const slow = new SluiceError('request-timeout', 'The body came too slowly', { headers: { connection: 'close' } })
  const refuse = (id: string, error: unknown, type = 'application/json') =>
    toDoorRefusal(id, error, { header: name => (name === 'content-type' ? type : undefined) })

  test('a changed status is that of the problem details, too, and keeps code and headers', async () => {
    const response = refuse('postSegment', slow)
    expect(await response?.json()).toMatchObject({ status: 503, code: 'request-timeout' })
    const { status, headers } = response ?? new Response()
    expect([status, headers.get('retry-after'), headers.get('connection')]).toEqual([503, '1', 'close'])
    expect(headers.get('content-type')).toBe('application/problem+json')
  })

  test.each([
    ['JSON', 'application/json', Buffer.from('{"message":"The body came too slowly"}'), 'application/json'],
    [
      'Protocol Buffers',
      'application/protobuf',
      Buffer.from('\x12\x18The body came too slowly'),
      'application/x-protobuf',
    ],
  ])('OTLP: Status as %s', async (_, sent, body, type) => {
    const response = refuse('postOtlpLogs', slow, sent) ?? new Response()
    expect([response.status, response.headers.get('content-type')]).toEqual([503, type])
    expect(Buffer.from(await response.bytes())).toEqual(body)
  })

  test('a fault of the server shows nothing of its cause', async () => {
    const response = refuse('postOtlpLogs', new Error('secret'))
    expect([response?.status, await response?.json()]).toEqual([500, { message: 'Internal error' }])
  })

  test('an unknown outcome, and an operation without a door, get no answer of a door', () => {
    expect(refuse('postSegment', new OutcomeUnknown('?'))).toBeUndefined()
    expect(refuse('postEvent', slow)).toBeUndefined()
    expect(refuse('toString', slow)).toBeUndefined()
  })
})

const rows: [what: string, id: keyof DoorHandlers, target: string, status: number, type?: string][] = [
  ['a large body', 'postSnowplow', '/com.snowplowanalytics.snowplow/tp2', 400],
  ['a large body', 'postPostHogBatch', '/batch/', 413],
  ['a large body', 'postOtlpLogs', '/v1/logs', 413],
  ['another type', 'postOtlpLogs', '/v1/logs', 415, 'text/xml'],
]
test.each(rows)('from outside: %s of %s %s is %i', async (_, id, target, status, type = 'application/json') => {
  const doors = new Set(['snowplow', 'posthog', 'otlp'] as const)
  const { collector } = createTestCollector({ doors, maxBodyBytes: 10 })
  const response = await knock(collector, id, target, 'x'.repeat(11), { type })
  expect(response.status).toBe(status)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(response.headers.get('content-type')).toContain('json')
})
