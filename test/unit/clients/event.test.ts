import { describe, expect, test } from 'vitest'
import { toEnvelope } from '../../../clients/tracker/event.ts'

describe('toEnvelope', () => {
  test.each([
    { given: { payload: { a: 1 } }, want: { eventDate: 7, a: 1 } },
    { given: { payload: { a: 1 }, date: new Date(5) }, want: { eventDate: 5, a: 1 } },
    { given: { payload: { eventDate: '2009-01-02' } }, want: { eventDate: '2009-01-02' } },
    { given: { payload: { eventDate: 1 }, date: 2 }, want: { eventDate: 2 } },
    { given: { payload: {}, granularity: 'DAILY' }, want: { eventDate: 7, eventGranularity: 'DAILY' } },
    { given: { payload: { eventDate: null, eventGranularity: null, a: null } }, want: { eventDate: 7, a: null } },
    { given: { payload: { eventGranularity: 'MONTHLY' } }, want: { eventDate: 7, eventGranularity: 'MONTHLY' } },
    {
      given: { payload: { at: new Date(9), none: undefined, list: [undefined, 1n] } },
      want: { eventDate: 7, at: 9, list: [null, 1n] },
    },
    { given: { payload: { url: new URL('http://a.test/') } }, want: { eventDate: 7, url: 'http://a.test/' } },
    {
      given: { payload: JSON.parse('{"__proto__":1}') as object },
      want: JSON.parse('{"eventDate":7,"__proto__":1}') as object,
    },
  ] as const)('$want', ({ given, want }) => {
    expect(
      toEnvelope({ eventName: 'A', ...(given as object), payload: given.payload as Record<string, unknown> }, 7),
    ).toEqual({
      eventName: 'A',
      payload: want,
    })
  })

  test('date and granularity come first, as the old client wrote them', () => {
    const { payload } = toEnvelope({ eventName: 'A', payload: { z: 1, eventGranularity: 'DAILY', eventDate: 3 } }, 7)
    expect(Object.keys(payload as object)).toEqual(['eventDate', 'eventGranularity', 'z'])
  })

  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  test.each([
    { payload: { a: () => 1 }, want: 'payload.a' },
    { payload: { a: [{ b: Number.NaN }] }, want: 'payload.a[0].b' },
    { payload: { at: new Date(Number.NaN) }, want: 'payload.at' },
    { payload: { m: new Map() }, want: 'payload.m' },
    { payload: circle, want: 'payload.self.self' },
    { payload: [] as unknown as Record<string, unknown>, want: 'payload' },
  ])('says where it cannot go on: $want', ({ payload, want }) => {
    expect(() => toEnvelope({ eventName: 'A', payload }, 7)).toThrow(want)
  })

  test('an event needs a name', () => {
    expect(() => toEnvelope({ eventName: '', payload: {} }, 7)).toThrow(TypeError)
  })
})
