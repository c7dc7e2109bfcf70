import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countWithheld } from '../../../../src/spool/seal/withheld.ts'

describe('countWithheld', () => {
  test.each([
    [[3, 1], undefined, [3, 1]],
    [[3, 1], 4, [3, 1]],
    [[3, 1], 8, [7, 1]],
    [[3, 2], 8, [5, 3]],
    [[1, 1, 1], 4, [2, 1, 1]],
    [[0, 0], 3, [3, 0]],
    [[1, 100], 50, [1, 49]],
    [[2, 5], 1, [0, 1]],
    [[2], 0, [0]],
    [[2], -1, [0]],
  ])('%j where %s are missing: %j', (guesses, missing, want) => expect(countWithheld(guesses, missing)).toEqual(want))

  const guesses = fc.array(fc.oneof(fc.nat(3), fc.nat(100_000)), { minLength: 1, maxLength: 9 })
  test('says of all parts together what is missing, and 0 of none that held something while there is enough', () => {
    fc.assert(
      fc.property(guesses, fc.oneof(fc.nat(20), fc.nat(1_000_000)), (all, missing) => {
        const counts = countWithheld(all, missing)
        expect(counts.reduce((sum, one) => sum + one, 0)).toBe(missing)
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(0)
        const held = all.filter(one => one > 0).length
        if (missing >= held) for (const [i, guess] of all.entries()) if (guess > 0) expect(counts[i]).toBeGreaterThan(0)
        expect(
          countWithheld(
            all,
            all.reduce((sum, one) => sum + one, 0),
          ),
        ).toEqual(all)
      }),
    )
  })
})
