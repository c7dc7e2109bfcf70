import { expect, test } from 'vitest'
import { toRowLimits } from '../../../src/rows/limits.ts'

const GiB = 2 ** 30

test.each([
  [0, 100_000, 16],
  [GiB / 8, 100_000, 16],
  [GiB, 100_000, 16],
  [1.5 * GiB, 150_000, 24],
  [8 * GiB, 800_000, 128],
  [64 * GiB, 6_400_000, 128],
])('a reader with %d bytes of memory takes rows of %d values and %d MiB', (memory, values, mebibytes) => {
  const setting = 'gateway.reader-memory-bytes'
  expect(toRowLimits(memory)).toEqual({
    of: 'row',
    values: { max: values, setting },
    bytes: { max: mebibytes * 2 ** 20, setting },
  })
})
