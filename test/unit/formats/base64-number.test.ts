import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../src/errors.ts'
import { formatBase64Number, parseBase64Number } from '../../../src/formats/base64-number.ts'
import { corpus, run } from '../../fuzz/targets/base64-number.ts'

const max = 2n ** 63n - 1n
const min = -(2n ** 63n)

/** Texts as old servers were seen to read them; `ours` where this one differs, and why. */
const table: readonly {
  readonly text: string
  readonly old: bigint | 'refused'
  readonly ours?: bigint | 'refused'
  readonly why?: string
}[] = [
  { text: '!', old: 0n },
  { text: '0', old: 1n },
  { text: 'z', old: 63n },
  { text: '9', old: 10n },
  { text: 'A', old: 11n },
  { text: 'Z', old: 36n },
  { text: '_', old: 37n },
  { text: 'a', old: 38n },
  { text: '0!', old: 64n },
  { text: '00', old: 65n },
  { text: '1!', old: 128n },
  { text: '10', old: 129n },
  { text: 'A0', old: 705n },
  { text: 'B0B0', old: 3_150_593n },
  { text: 'C0C0C0', old: 13_978_833_729n },
  { text: '-0', old: -1n },
  { text: '-1', old: -2n },
  { text: '-z', old: -63n },
  { text: '-1!', old: -128n },
  { text: '-!', old: 0n },
  { text: '', old: 0n },
  { text: '-', old: 'refused', ours: 0n, why: 'the specified zero' },
  { text: '1-', old: 'refused', ours: 128n, why: 'the specified zero' },
  { text: '--', old: 'refused', ours: 0n, why: 'a sign and the specified zero' },
  { text: '-1-', old: 'refused', ours: -128n, why: 'a sign and the specified zero' },
  { text: '*', old: 'refused' },
  { text: ' ', old: 'refused' },
  { text: '%', old: 'refused' },
  { text: 'é', old: 'refused' },
  { text: '0zzzzz', old: 2_147_483_647n },
  { text: '-1!!!!!', old: -2_147_483_648n },
  { text: '1zzzzz', old: 3_221_225_471n, why: 'its type, i32, refuses it later' },
  { text: '2!!!!!', old: 3_221_225_472n, why: 'its type, i32, refuses it later' },
  { text: 'zzzzzzzzzz', old: 1_152_921_504_606_846_975n },
  { text: '6zzzzzzzzzz', old: max },
  { text: '7zzzzzzzzzz', old: -8_070_450_532_247_928_833n, ours: 'refused', why: 'wrapped past 64 bits' },
  { text: 'zzzzzzzzzzz', old: -1n, ours: 'refused', why: 'wrapped past 64 bits' },
  { text: 'Ezzzzzzzzzz', old: -1n, ours: 'refused', why: 'wrapped past 64 bits' },
  { text: '7!!!!!!!!!!', old: min, ours: 'refused', why: 'wrapped past 64 bits' },
  { text: '-7!!!!!!!!!!', old: min },
  { text: '!!!!!!!!!!!!!!!0', old: 1n },
  { text: 'GvLInqV', old: 1_231_956_164_000n },
  { text: 'GuKI21D', old: 1_230_865_445_006n },
]

describe('parseBase64Number', () => {
  test.each(table)('"$text" $why', ({ text, old, ours = old }) => {
    if (ours === 'refused') expect(() => parseBase64Number(text)).toThrow(FormatError)
    else expect(BigInt(parseBase64Number(text))).toBe(ours)
  })

  test('names the character and what was expected', () => {
    expect(() => parseBase64Number('1*')).toThrow('base64 number: expected a digit of - ! 0-9 A-Z _ a-z at character 1')
    expect(() => parseBase64Number(`!${'z'.repeat(1_000_000)}`)).toThrow('found a larger one at character 12')
  })
})

describe('formatBase64Number', () => {
  test.each([
    { value: 0n, want: '-' },
    { value: 1n, want: '0' },
    { value: 64n, want: '0-' },
    { value: 128n, want: '1-' },
    { value: -1n, want: '-0' },
    { value: -64n, want: '-0-' },
    { value: 1_231_956_164_000n, want: 'GvLInqV' },
    { value: max, want: '6zzzzzzzzzz' },
    { value: min, want: '-7----------' },
  ])('$value', ({ value, want }) => {
    expect(formatBase64Number(value)).toBe(want)
    expect(BigInt(parseBase64Number(want))).toBe(value)
  })

  test('is read as the same number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min, max }), value => BigInt(parseBase64Number(formatBase64Number(value))) === value),
    )
  })

  test('refuses what takes more than 64 bits', () => {
    expect(() => formatBase64Number(max + 1n)).toThrow(RangeError)
    expect(() => formatBase64Number(min - 1n)).toThrow(RangeError)
  })
})

test('any text ends in a number or a FormatError', () => {
  const onlyFormatErrors = (bytes: Uint8Array): void => {
    try {
      run(bytes)
    } catch (error) {
      if (!(error instanceof FormatError)) throw error
    }
  }
  for (const seed of corpus()) onlyFormatErrors(seed)
  const digit = fc.constantFrom(...Buffer.from('-!09AZ_az*'))
  fc.assert(
    fc.property(fc.array(digit, { maxLength: 14 }), digits => onlyFormatErrors(Uint8Array.from(digits))),
    { numRuns: 2000 },
  )
})
