import { describe, expect, test } from 'vitest'
import { toQuantiles } from '../../../src/figures/quantile.ts'

describe('toQuantiles', () => {
  test('of nothing is zero', () => expect(toQuantiles([], [0.5])).toEqual([0]))
  test('by nearest rank', () => expect(toQuantiles([10, 2, 1], [0, 0.34, 0.99])).toEqual([1, 2, 10]))
})
