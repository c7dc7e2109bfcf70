import { describe, expect, test } from 'vitest'
import { createTurn } from '../../../src/collector/turn.ts'

/** A turn of which the test says how late it is and when it ends. */
const createTestTurn = (minRequests: number) => {
  const clock = { ms: 0 }
  const ends: (() => void)[] = []
  const turn = createTurn(
    () => clock.ms,
    { workMs: 50, refuseMs: 10, minRequests },
    end => ends.push(end),
  )
  return { clock, ends, turn }
}

/** The same after a turn of `ms`, in which `requests` arrived. */
const createTestTurnAfter = (ms: number, minRequests: number, requests: number) => {
  const { clock, ends, turn } = createTestTurn(minRequests)
  for (let i = 0; i < requests; i++) turn.isOverdue()
  clock.ms = ms
  ends.shift()?.()
  const at = (later: number): boolean => {
    clock.ms = ms + later
    return turn.isOverdue()
  }
  return { ends, at }
}

describe('R10: a turn of the event loop', () => {
  test('is shared out between work and refusing, five to one, for as long as it lasts, behind one that was long', () => {
    const { at } = createTestTurnAfter(50, 0, 1)
    const seen = Array.from({ length: 240 }, (_, ms) => at(ms))
    const want = Array.from({ length: 240 }, (_, ms) => ms % 60 >= 50)
    expect(seen).toEqual(want)
  })

  test.each([
    ['the first one', 0, 0],
    ['one behind one that was short', 49, 4],
    ['one behind one of few requests, however long they took', 1_000, 3],
  ])('refuses nothing where it is %s: whatever held it up is over soon', (_, ms, requests) => {
    const { at } = createTestTurnAfter(ms, 3, requests)
    expect(Array.from({ length: 240 }, (__, later) => at(later))).not.toContain(true)
  })

  test('refuses nothing when few have come, however long one of them took', () => {
    const { at } = createTestTurnAfter(50, 3, 4)
    expect([at(0), at(55), at(56), at(57)]).toEqual([false, false, false, true])
  })

  test('starts over when the backlog is worked off, and takes everything again after a short turn', () => {
    const { at, ends } = createTestTurnAfter(50, 0, 1)
    expect([at(0), at(55)]).toEqual([false, true])
    ends.shift()?.()
    expect([at(60), at(61)]).toEqual([false, false])
    ends.shift()?.()
    expect([at(70), at(125)]).toEqual([false, false])
    expect(ends).toHaveLength(1)
  })
})
