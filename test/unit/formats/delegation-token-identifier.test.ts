import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import {
  type DelegationTokenIdentifier,
  decodeDelegationTokenIdentifier,
  encodeDelegationTokenIdentifier,
} from '../../../src/formats/delegation-token-identifier.ts'

/** As Hadoop 3.4.3 writes them: `DelegationTokenIdentifier.getBytes()`. */
const hadoop: readonly (readonly [string, DelegationTokenIdentifier])[] = [
  [
    '000f626f6240534c554943452e54455354047961726e008a012fb7dd05308a012fdbe989300501',
    {
      owner: 'bob@SLUICE.TEST',
      renewer: 'yarn',
      realUser: '',
      issueDate: 1304459806000,
      maxDate: 1305064606000,
      sequenceNumber: 5,
      masterKeyId: 1,
    },
  ],
  [
    '00000000007f908770',
    { owner: '', renewer: '', realUser: '', issueDate: 0, maxDate: 127, sequenceNumber: -112, masterKeyId: -113 },
  ],
  [
    '0003616e6e03616e6e056f6f7a69658f808effff8c7fffffff847fffffff',
    {
      owner: 'ann',
      renewer: 'ann',
      realUser: 'oozie',
      issueDate: 128,
      maxDate: 65_535,
      sequenceNumber: 2 ** 31 - 1,
      masterKeyId: -(2 ** 31),
    },
  ],
  [
    '0008c3a5c39ff09f9880017800891fffffffffffff8d0100008fff8e0100',
    {
      owner: 'åß😀',
      renewer: 'x',
      realUser: '',
      issueDate: Number.MAX_SAFE_INTEGER,
      maxDate: 65_536,
      sequenceNumber: 255,
      masterKeyId: 256,
    },
  ],
]
const known = hadoop[0]?.[0] ?? expect.fail()

test.each(hadoop)('%s is as Hadoop writes it', (hex, identifier) => {
  expect(Buffer.from(encodeDelegationTokenIdentifier(identifier)).toString('hex')).toBe(hex)
  expect(decodeDelegationTokenIdentifier(Buffer.from(hex, 'hex'))).toEqual(identifier)
})

test('keeps a byte order mark, which is part of a name', () => {
  const identifier = { ...decodeDelegationTokenIdentifier(Buffer.from(known, 'hex')), owner: '\u{feff}bob' }
  expect(decodeDelegationTokenIdentifier(encodeDelegationTokenIdentifier(identifier))).toEqual(identifier)
})

test('comes back as it was', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 100 }).map(one => one.toWellFormed())
  const date = fc.maxSafeNat()
  const number = fc.integer()
  const identifier = fc.record({
    owner: name,
    renewer: name,
    realUser: name,
    issueDate: date,
    maxDate: date,
    sequenceNumber: number,
    masterKeyId: number,
  })
  fc.assert(
    fc.property(identifier, one => {
      expect(decodeDelegationTokenIdentifier(encodeDelegationTokenIdentifier(one))).toEqual(one)
    }),
  )
})

describe('anything else is refused', () => {
  const decode = (hex: string) => () => decodeDelegationTokenIdentifier(Buffer.from(hex, 'hex'))

  test('cut at any byte, or longer', () => {
    for (let end = 0; end < known.length; end += 2) expect(decode(known.slice(0, end))).toThrow(FormatError)
    expect(decode(`${known}00`)).toThrow('expected the end')
  })

  test.each([
    ['another version', known.replace(/^00/, '01'), 'version'],
    ['a name longer than 1 KiB', `008e0401${'61'.repeat(1_025)}0000000000000000`, 'length of a name'],
    ['a name of negative length', '00ff0000000000000000', 'length of a name'],
    ['a name that is not UTF-8', '0001ff0000000000000000', 'UTF-8'],
    ['a name that goes beyond the end', '0004616161', 'length of a name'],
    ['a negative date', '00000000ff000000', 'a date'],
    ['the smallest of one byte', '0000000090000000', 'a date'],
    ['a date that goes beyond the end', '000000008a012f', 'expected a date at byte 4'],
    ['a date beyond what a number holds', '000000008920000000000000000000', 'larger number'],
    ['a date of eight bytes', '00000000880000000000000000000000', 'a date'],
  ])('%s', (_, hex, message) => {
    expect(decode(hex)).toThrow(FormatError)
    expect(decode(hex)).toThrow(message)
  })

  test('of what is to be written as well', () => {
    const identifier = decodeDelegationTokenIdentifier(Buffer.from(known, 'hex'))
    const write = (part: Partial<DelegationTokenIdentifier>) => () =>
      encodeDelegationTokenIdentifier({ ...identifier, ...part })
    expect(write({ owner: 'å'.repeat(512) })).not.toThrow()
    expect(write({ owner: `${'å'.repeat(512)}a` })).toThrow(RangeError)
    expect(write({ issueDate: -1 })).toThrow(RangeError)
    expect(write({ maxDate: 2 ** 53 })).toThrow(RangeError)
    expect(write({ sequenceNumber: 2 ** 31 })).toThrow(RangeError)
  })
})
