import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { Decimal, type Value } from '../../../../src/formats/number.ts'
import type { SmileReadOptions } from '../../../../src/formats/smile/cursor.ts'
import { readSmile, readSmileElements } from '../../../../src/formats/smile/reader.ts'
import { bytes, write } from './fixture.ts'

const eventHex =
  'f8fa886576656e744e616d654573616d706c65867061796c6f6164fa886576656e744461746525010f252943049c8f6576656e744772616e75' +
  '6c617269747945484f55524c598866697273744e616d65426a6f65876c6173744e616d65467369785061636b8c7468654e756d6265724669' +
  '7665cafbfb'
const event = {
  eventName: 'sample',
  payload: {
    eventDate: 1_230_865_445_006,
    eventGranularity: 'HOURLY',
    firstName: 'joe',
    lastName: 'sixPack',
    theNumberFive: 5,
  },
}
/** `{"eventName":"A","payload":{"x":1}}`. */
const smallHex = 'fa886576656e744e616d654041867061796c6f6164fa8078c2fbfb'
const small = { eventName: 'A', payload: { x: 1 } }
const header = '3a290a03'

/** The values before the error, and the error. */
const readAll = (
  source: Iterable<Value>,
): { readonly values: Value[]; readonly message: string | undefined; readonly offset: number | undefined } => {
  const values: Value[] = []
  try {
    for (const value of source) values.push(value)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return { values, message: error.message, offset: error.offset }
  }
  return { values, message: undefined, offset: undefined }
}

const elements = (hex: string, options?: SmileReadOptions): ReturnType<typeof readAll> =>
  readAll(readSmileElements(bytes(hex), options))

const roots = (hex: string, options?: SmileReadOptions): ReturnType<typeof readAll> =>
  readAll(readSmile(bytes(hex), options))

describe('readSmileElements', () => {
  const types = {
    eventName: 'A',
    payload: {
      eventDate: 1_230_865_445_006,
      eventGranularity: 'MINUTE',
      s: 'héllo',
      b: true,
      n: null,
      d: 3.14,
      neg: -17,
      big: 13_978_833_729,
      arr: [1, 2, 'A'],
      o: { x: 'A' },
    },
  }
  const typesHex =
    'fa886576656e744e616d654041867061796c6f6164fa886576656e744461746525010f252943049c8f6576656e744772616e756c6172697479' +
    '454d494e55544580738468c3a96c6c6f806223806e218064290040044757050f2e0a1f826e656724a18262696725015026411a8282617272f8' +
    'c2c401f9806ffa807801fbfbfb'
  const table: readonly { readonly name: string; readonly given: string; readonly want: readonly Value[] }[] = [
    { name: 'an array of one event', given: `${header}${eventHex}f9`, want: [event] },
    {
      name: 'an event that refers to the one before',
      given: `${header}${eventHex}fa400141fa4225010f252943049c43024403450446cafbfbf9`,
      want: [event, event],
    },
    { name: 'one object', given: header + smallHex, want: [small] },
    { name: 'one object without a header', given: smallHex, want: [small] },
    { name: 'two objects, each with a header', given: (header + smallHex).repeat(2), want: [small, small] },
    { name: 'two objects, the second without', given: header + smallHex + smallHex, want: [small, small] },
    {
      name: 'an end marker between',
      given: `${header}${smallHex}ff${header}${smallHex}ffff`,
      want: [small, small],
    },
    { name: 'an array, then another', given: `${header}${eventHex}f9`.repeat(2), want: [event, event] },
    { name: 'an array, then an object', given: `${header}${eventHex}f9${smallHex}`, want: [event, small] },
    { name: 'an array with a header inside', given: `f8${smallHex}${header}${smallHex}f9`, want: [small, small] },
    { name: 'every type', given: header + typesHex, want: [types] },
    { name: 'an empty array', given: `${header}f8f9`, want: [] },
    { name: 'nothing', given: '', want: [] },
    { name: 'a header alone', given: header, want: [] },
    { name: 'nested arrays', given: 'f8f8c2f9c4f9', want: [[1], 2] },
  ]
  test.each(table)('reads $name', ({ given, want }) => {
    expect(elements(given)).toStrictEqual({ values: want, message: undefined, offset: undefined })
  })

  test('gives every element of an array whose end is missing, then says so', () => {
    const { values, message } = elements(header + eventHex)
    expect(values).toStrictEqual([event])
    expect(message).toContain('the bytes end within a value')
  })

  test('gives what is complete, wherever the bytes are cut', () => {
    const whole = `${header}${eventHex}fa400141fa4225010f252943049c43024403450446cafbfbf9`
    const first = (header + eventHex).length
    for (let cut = header.length; cut < whole.length; cut += 2) {
      const { values, message } = elements(whole.slice(0, cut))
      expect(values).toHaveLength(cut < first ? 0 : cut < whole.length - 2 ? 1 : 2)
      expect(message === undefined).toBe(cut === header.length)
    }
  })

  test('stops at the token 00 of a file with a lone surrogate in it', () => {
    const poison =
      '3a290a03f8fa886576656e744e616d654573616d706c65867061796c6f6164fa886576656e74446174652501176d7b4d48948f6576656e7447' +
      '72616e756c617269747945484f55524c59816f6bc289696e766c69645574663800fbfbf9'
    const { values, message, offset } = elements(poison)
    expect(values).toEqual([])
    expect(message).toContain('expected a value, found 00')
    expect(offset).toBe(poison.length / 2 - 4)
  })

  test('gives an element before it looks at the next', () => {
    const source = readSmileElements(bytes(`f8${smallHex}00`))
    expect(source.next()).toStrictEqual({ done: false, value: small })
    expect(() => source.next()).toThrow(FormatError)
  })

  test('refuses JSON text', () => {
    const { values, message } = readAll(readSmileElements(new TextEncoder().encode('{"eventName":"A"}')))
    expect(values).toEqual([])
    expect(message).toBeDefined()
  })
})

describe('readSmile', () => {
  const malformed: readonly { readonly name: string; readonly given: string; readonly offset: number }[] = [
    { name: 'a reserved value token', given: '27', offset: 0 },
    { name: 'a token FE', given: 'fe', offset: 0 },
    { name: 'an end of object as a value', given: 'f8fbf9', offset: 1 },
    { name: 'an end of array as a root', given: 'f9', offset: 0 },
    { name: 'a reserved name token', given: 'fa21c2fb', offset: 1 },
    { name: 'a name token F8', given: 'faf8', offset: 1 },
    { name: 'an end of array in an object', given: 'faf9', offset: 1 },
    { name: 'half a header', given: '3a29', offset: 2 },
    { name: 'another header', given: '3a290b03', offset: 0 },
    { name: 'version 1', given: '3a290a13c2', offset: 0 },
    { name: 'a reference into an empty table', given: '3a290a0301', offset: 5 },
    { name: 'a reference to strings that are not shared', given: '3a290a01f8406101f9', offset: 8 },
    { name: 'a reference to names that are not shared', given: '3a290a00f8fa8061c2fbfa40c2fbf9', offset: 12 },
    { name: 'a long reference into nothing', given: '3a290a03ec05', offset: 6 },
    { name: 'a long name reference into nothing', given: '3a290a03fa3105c2fb', offset: 7 },
    { name: 'a VInt of eleven bytes', given: `24${'00'.repeat(10)}80`, offset: 1 },
    { name: 'an int32 of 33 bits', given: '242000000080', offset: 1 },
    { name: 'an int64 of 65 bits', given: '2508000000000000000080', offset: 1 },
    { name: 'an int64 cut off', given: '2501', offset: 2 },
    { name: 'a big integer without bytes', given: '2680', offset: 1 },
    { name: 'a big integer longer than what is there', given: '268801', offset: 3 },
    { name: 'a big integer beyond the limit', given: '260a0080', offset: 1 },
    { name: 'a double cut off', given: '29003f7c', offset: 4 },
    { name: 'a double with a high bit', given: '29003f7c00000080000000', offset: 7 },
    { name: 'a string cut off', given: '446162', offset: 3 },
    { name: 'a byte beyond ASCII in an ASCII string', given: '4161c3', offset: 2 },
    { name: 'a byte beyond ASCII in a long ASCII string', given: 'e061c3fc', offset: 2 },
    { name: 'a long string without its end', given: 'e06161', offset: 3 },
    { name: 'an overlong UTF-8 sequence', given: '80c081', offset: 1 },
    { name: 'a surrogate in UTF-8', given: '81eda080', offset: 1 },
    { name: 'half a UTF-8 sequence', given: 'e4e282fc', offset: 1 },
    { name: 'U+FFFD beside a bad byte', given: '83efbfbdc361', offset: 1 },
    { name: 'binary of more bytes than there are', given: 'e80100000000800102', offset: 9 },
    { name: 'raw binary that was not announced', given: 'fd8101', offset: 0 },
    { name: 'raw binary of more bytes than there are', given: '3a290a07fd8401', offset: 7 },
    { name: 'an object cut off after a name', given: 'fa8061', offset: 3 },
  ]
  test.each(malformed)('refuses $name', ({ given, offset }) => {
    const { values, ...error } = roots(given)
    expect(values).toEqual([])
    expect(error.message).toMatch(/^smile: .* at byte \d+$/)
    expect(error.offset).toBe(offset)
  })

  test('gives the documents before the damage', () => {
    const { values, message } = roots('c2c4c6fe')
    expect(values).toEqual([1, 2, 3])
    expect(message).toContain('found FE')
  })

  test.each([
    ['references with a low byte of FE and FF', 0xfe],
    ['the last entry of a table', 0x3ff],
  ])('takes %s, in names and values', (_, index) => {
    const names = Array.from({ length: 1024 }, (_name, i) => `n${i}`)
    const spelled = write(names.map(name => ({ [name]: `v${name}` })))
    const reference = Uint8Array.of(0xfa, 0x30 + (index >> 8), index & 0xff, 0xec + (index >> 8), index & 0xff, 0xfb)
    const values = [...readSmile(Buffer.concat([spelled, reference]))]
    expect(values.at(-1)).toEqual({ [`n${index}`]: `vn${index}` })
  })

  test('forgets its tables at an end marker', () => {
    expect(roots('3a290a034061ff01').message).toContain('reference to string 0')
    expect(roots('fa8061c2fbfffa40c2fb').message).toContain('reference to name 0')
  })

  test('keeps the name __proto__ and the last of equal names', () => {
    const [value] = roots('fa885f5f70726f746f5f5ff8c2f9fb').values
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(roots('fa8061c28061c4fb').values).toEqual([{ a: 2 }])
  })

  test('reads a string of 65 UTF-8 bytes and a name of 57', () => {
    const text = `${'é'.repeat(31)}日`
    expect(roots(`bf${Buffer.from(text).toString('hex')}`).values).toEqual([text])
    const name = `${'é'.repeat(27)}日`
    expect(roots(`faf7${Buffer.from(name).toString('hex')}c2fb`).values).toEqual([{ [name]: 1 }])
  })

  test('reads an int64 in the range of an int32, and a small decimal', () => {
    expect(roots('25822a82810701').values).toEqual([1, new Decimal(15n, 1)])
  })

  test('limits nesting', () => {
    const deep = (levels: number): string => 'f8'.repeat(levels) + 'f9'.repeat(levels)
    expect(roots(deep(1000)).values).toHaveLength(1)
    expect(roots(deep(1001)).message).toContain('nested deeper than 1000 levels')
    expect(elements(deep(1001)).message).toContain('nested deeper than 1000 levels')
    expect(roots('fa8061'.repeat(100_000)).message).toContain('nested deeper')
    expect(roots('f8f8f9f9', { maxDepth: 1 }).message).toContain('nested deeper than 1 levels')
  })

  test('limits names, and the expansion of references to long ones', () => {
    const name = '61'.repeat(100)
    expect(roots(`fa34${name}fcc2fb`, { maxNameBytes: 99 }).message).toContain('100 bytes, at most 99')
    const twice = `fa34${name}fcc2fb${'fa40c2fb'.repeat(2)}`
    expect(roots(twice, { maxExpandedLength: 200 }).values).toHaveLength(3)
    expect(roots(twice, { maxExpandedLength: 199 }).message).toContain('references to long names')
  })

  test('copies binary, so that it does not keep the document', () => {
    const document = bytes('3a290a07fd83010203')
    const [value] = readSmile(document)
    document.fill(0)
    expect(value).toStrictEqual(Uint8Array.of(1, 2, 3))
  })

  test('reads at an offset of a larger buffer', () => {
    const larger = bytes(`ffffff${header}${smallHex}00`)
    expect([...readSmile(larger.subarray(3, -1))]).toEqual([small])
  })
})
