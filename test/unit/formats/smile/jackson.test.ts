import { describe, expect, test } from 'vitest'
import { parseJson, stringifyJson } from '../../../../src/formats/json.ts'
import { Float32, Float64, type Value } from '../../../../src/formats/number.ts'
import { readSmile, readSmileElements } from '../../../../src/formats/smile/reader.ts'
import type { SmileWriteOptions } from '../../../../src/formats/smile/writer.ts'
import { parseSmile } from '../../../foreign/parse-smile.ts'
import { fixture, fixtureText, write, writeArray } from './fixture.ts'

/** What the README beside the fixtures says of them. */
const binaries = Array.from({ length: 21 }, (_, length) => Uint8Array.from({ length }, (_byte, i) => i * 37 + 201))

const pair = (i: number): Value => ({ [`k${i}`]: `v${i}` })

/** Texts and names of the greatest length that is shared, and longer; then those that show how many were counted. */
const edges = [64, 65].flatMap((length): Value[] => [
  { ['n'.repeat(length)]: 't'.repeat(length) },
  { ['é'.repeat(length - 36)]: 'é'.repeat(length - 32) },
  { '': '' },
  pair(length),
])

const contents: Readonly<Record<string, readonly Value[]>> = {
  'longs.sml': [
    [
      0,
      1,
      -1,
      15,
      -16,
      16,
      -17,
      63,
      64,
      127,
      -128,
      1000,
      2_147_483_647,
      -2_147_483_648,
      2_147_483_648,
      -2_147_483_649,
      4_294_967_296,
      9_007_199_254_740_991,
      -9_007_199_254_740_991,
      9_007_199_254_740_992n,
      9_007_199_254_740_993n,
      9_223_372_036_854_775_807n,
      -9_223_372_036_854_775_808n,
      1_234_567_890_123_456_789n,
    ],
  ],
  'floats.sml': [
    [0, -0, 1, -1, 0.1, 3.4028234663852886e38, 1.401298464324817e-45, Number.NaN, Number.POSITIVE_INFINITY].map(
      value => new Float32(value),
    ),
  ],
  'doubles.sml': [
    [
      new Float64(0),
      new Float64(-0),
      new Float64(1),
      new Float64(-1),
      0.1,
      Math.PI,
      new Float64(Number.MAX_VALUE),
      Number.MIN_VALUE,
      Number.NaN,
      Number.NEGATIVE_INFINITY,
    ],
  ],
  'strings.sml': [
    [
      ...[0, 1, 2, 31, 32, 33, 34, 63, 64, 65, 66, 100, 1000, 5000].map(count => 'a'.repeat(count)),
      ...[1, 2, 15, 16, 17, 31, 32, 33, 34, 100, 3000].map(count => 'é'.repeat(count)),
      ...[1, 10, 11, 21, 22, 30].map(count => '日'.repeat(count)),
    ],
  ],
  'shared.sml': [
    Array.from({ length: 3000 }, (_, i) => ({ name: `v${i % 50}`, idx: i, [`k${i % 300}`]: `w${i % 1500}` })),
  ],
  'respelled.sml': [
    [...Array.from({ length: 1200 }, (_, i) => [pair(i), pair(i), pair(Math.floor(i / 2))]).flat(), ...edges, ...edges],
  ],
  'nested.sml': [Array.from({ length: 500 }).reduce<Value>(inner => ({ a: [inner] }), 1)],
  'nohdr.sml': [{ a: 'b' }],
  'endmarker.sml': [{ a: 'b' }],
  'noshare.sml': [[{ a: 'b' }, { a: 'b' }, { a: 'b' }]],
  'multi_one_gen.sml': [{ a: 'val0' }, { a: 'val1' }, { a: 'val0' }],
  'scalar_str.sml': ['hello world, this is a longer string value'],
}

const read = (name: string): Value[] => [...readSmile(fixture(name))]

describe('readSmile reads what Jackson wrote', () => {
  const plain = Object.keys(contents).filter(name => name !== 'strings.sml')
  test.each(plain)('%s', name => {
    expect(read(name)).toStrictEqual(contents[name])
  })

  test('strings.sml', () => {
    const [strings] = read('strings.sml') as [string[]]
    const want = contents['strings.sml']?.[0] as string[]
    expect(strings.slice(0, want.length)).toStrictEqual(want)
    const [emoji = '', twenty = '', bom = '', nul = '', ...more] = strings.slice(want.length)
    expect(emoji).toMatch(/^\p{Emoji}$/u)
    expect(twenty).toBe(emoji.repeat(20))
    expect(bom.charCodeAt(0)).toBe(0xfeff)
    expect(nul).toContain('\0')
    expect(more).toEqual([])
  })

  test('lits.sml', () => {
    const [value] = read('lits.sml') as [Record<string, Value>]
    expect(value).toMatchObject({ t: true, f: false, n: null, e: '', '': 'emptykey', é: 'k' })
    const lengths = [56, 57, 64, 65, 300].map(count => 'k'.repeat(count))
    const umlauts = [28, 29, 200].map(count => 'é'.repeat(count))
    expect(Object.keys(value)).toEqual(['t', 'f', 'n', 'e', '', 'é', ...lengths, ...umlauts])
  })

  test.each(['binary_7bit.sml', 'binary_raw.sml'])('%s', name => {
    const [value] = read(name) as [Uint8Array[]]
    expect(value.slice(0, 21)).toStrictEqual(binaries)
    expect(value[21]).toHaveLength(1000)
    expect(value).toHaveLength(22)
  })

  test('binary_raw.sml has the same bytes as binary_7bit.sml', () => {
    expect(read('binary_raw.sml')).toStrictEqual(read('binary_7bit.sml'))
  })

  test.each(['spool-2events', 'spool-sample5', 'spool-types'])('%s.smile has the values of its .json', name => {
    const [value] = read(`${name}.smile`) as [Value[]]
    // The text of a Smile value is exact: floats and decimals in it are numbers of the JSON text.
    expect(parseJson(stringifyJson(value))).toStrictEqual(parseJson(fixtureText(`${name}.json`)))
    expect([...readSmileElements(fixture(`${name}.smile`))]).toStrictEqual(value)
  })
})

describe('the writer writes the bytes of Jackson', () => {
  const table: readonly { readonly name: string; readonly options?: SmileWriteOptions }[] = [
    'longs.sml',
    'floats.sml',
    'doubles.sml',
    'strings.sml',
    'lits.sml',
    'shared.sml',
    'respelled.sml',
    'nested.sml',
    'multi_one_gen.sml',
    'scalar_str.sml',
    'binary_7bit.sml',
    'spool-2events.smile',
    'spool-sample5.smile',
    'spool-types.smile',
  ].map(name => ({ name }))
  const others: typeof table = [
    { name: 'binary_raw.sml', options: { rawBinary: true } },
    { name: 'noshare.sml', options: { sharedNames: false, sharedStrings: false } },
  ]
  test.each([...table, ...others])('$name', ({ name, options }) => {
    expect(Buffer.from(write(read(name), options)).equals(fixture(name))).toBe(true)
  })

  test.each(['spool-2events', 'spool-sample5'])('%s.smile, from its .json', name => {
    const events = parseJson(fixtureText(`${name}.json`)) as Value[]
    expect(Buffer.from(writeArray(events)).equals(fixture(`${name}.smile`))).toBe(true)
  })

  test('nohdr.sml and endmarker.sml, except for header and marker', () => {
    const body = Buffer.from(write([{ a: 'b' }], { sharedStrings: false })).subarray(4)
    expect(body.equals(fixture('nohdr.sml'))).toBe(true)
    expect(body.equals(fixture('endmarker.sml').subarray(4, -1))).toBe(true)
  })
})

// smile-js misreads decimals, a leading U+FEFF and names after a long one; the rest it reads right.
describe('smile-js reads the same', () => {
  test.each([
    'longs.sml',
    'shared.sml',
    'nested.sml',
    'noshare.sml',
    'scalar_str.sml',
    'spool-2events.smile',
    'spool-sample5.smile',
  ])('%s', name => {
    expect(parseSmile(fixture(name))).toEqual(read(name)[0])
  })

  test('of what our writer wrote', () => {
    const value = Array.from({ length: 1200 }, (_, i) => ({
      name: `é${i % 300}`,
      n: i * 12_345_678_901,
      half: i + 0.5,
      big: 2n ** 70n + BigInt(i),
      text: 'x'.repeat(i % 100),
      sub: [{ i }, null, true],
      [`name${i % 300}`]: '',
    }))
    expect(parseSmile(write([value]))).toEqual(value)
  })
})
