import { describe, expect, test } from 'vitest'
import { nextVersion } from '../../../scripts/release/version.ts'

describe('nextVersion', () => {
  test.each([
    { wanted: 'patch', want: '1.9.10' },
    { wanted: 'minor', want: '1.10.0' },
    { wanted: 'major', want: '2.0.0' },
    { wanted: '1.9.10', want: '1.9.10' },
    { wanted: '1.10.0', want: '1.10.0' },
    { wanted: '10.0.0', want: '10.0.0' },
  ])('after 1.9.9, $wanted is $want', ({ wanted, want }) => {
    expect(nextVersion('1.9.9', wanted)).toBe(want)
  })

  test.each(['1.9.9', '1.9.8', '1.8.20', '0.10.10'])('%s does not come after 1.9.9', wanted => {
    expect(() => nextVersion('1.9.9', wanted)).toThrow(`${wanted} does not come after 1.9.9`)
  })

  test.each(['', 'v2.0.0', '2.0', '2.0.0-rc.1', '02.0.0', 'next'])('%j is not a version', wanted => {
    expect(() => nextVersion('1.9.9', wanted)).toThrow('three numbers')
  })
})
