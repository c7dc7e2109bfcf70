import { describe, expect, test } from 'vitest'
import { createAddressBlocks } from '../../../../src/http/origin/address-blocks.ts'

describe('createAddressBlocks', () => {
  const isIn = createAddressBlocks(['127.0.0.0/8', '::1', '10.1.2.3', '2001:db8::/32'])
  test.each([
    ['127.9.9.9', true],
    ['10.1.2.3', true],
    ['10.1.2.4', false],
    ['::1', true],
    ['::2', false],
    ['2001:db8:0:1::1', true],
    ['2001:db9::1', false],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:8.8.8.8', false],
    ['', false],
    ['nonsense', false],
  ])('%s: %s', (address, expected) => {
    expect(isIn(address)).toBe(expected)
    expect(createAddressBlocks([])(address)).toBe(false)
  })

  test.each(['', 'localhost', '1.2.3', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1'])(
    'refuses %j',
    entry => {
      expect(() => createAddressBlocks([entry])).toThrow(RangeError)
    },
  )
})
