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

describe('R10: a turn of the event loop', () => {
  test('is shared out between work and refusing, five to one, for as long as it lasts', () => {
    const { clock, turn } = createTestTurn(0)
    const seen = Array.from({ length: 240 }, (_, ms) => {
      clock.ms = 1_000 + ms
      return turn.isOverdue()
    })
    const want = Array.from({ length: 240 }, (_, ms) => ms % 60 >= 50)
    expect(seen).toEqual(want)
  })

  test('refuses nothing when few have come, however long one of them took', () => {
    const { clock, turn } = createTestTurn(3)
    const at = (ms: number): boolean => {
      clock.ms = ms
      return turn.isOverdue()
    }
    expect([at(0), at(55), at(56), at(57)]).toEqual([false, false, false, true])
  })

  test('starts anew when what had arrived is done with', () => {
    const { clock, ends, turn } = createTestTurn(0)
    expect(turn.isOverdue()).toBe(false)
    clock.ms = 55
    expect(turn.isOverdue()).toBe(true)
    expect(ends).toHaveLength(1)
    ends[0]?.()
    expect(turn.isOverdue()).toBe(false)
    expect(ends).toHaveLength(2)
  })
})
