import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FormatError } from '../../../../src/errors.ts'
import { Decimal, Float32, Float64, type Value } from '../../../../src/formats/number.ts'
import { readSmile, readSmileElements } from '../../../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../../../src/formats/smile/writer.ts'
import { values } from '../values.ts'
import { toHex, write, writeArray } from './fixture.ts'

describe('the writer writes', () => {
  const table: readonly { readonly given: Value; readonly want: string }[] = [
    { given: 0, want: 'c0' },
    { given: -16, want: 'df' },
    { given: 16, want: '24a0' },
    { given: -17, want: '24a1' },
    { given: 64, want: '240280' },
    { given: 2_147_483_647, want: '241f7f7f7fbe' },
    { given: -2_147_483_648, want: '241f7f7f7fbf' },
    { given: 2_147_483_648, want: '252000000080' },
    { given: 1_304_459_794_698, want: '2501176d7b4d4894' },
    { given: 9_223_372_036_854_775_807n, want: '25037f7f7f7f7f7f7f7fbe' },
    { given: -9_223_372_036_854_775_808n, want: '25037f7f7f7f7f7f7f7fbf' },
    { given: 5n, want: 'ca' },
    { given: 2n ** 63n, want: '26890020000000000000000000' },
    { given: -(2n ** 63n) - 1n, want: '26897f5f7f7f7f7f7f7f7f7f03' },
    { given: new Float32(29.951), want: '28040f3e3726' },
    { given: 1.5, want: '29003f7c00000000000000' },
    { given: new Float64(-0), want: '2901000000000000000000' },
    { given: new Decimal(15n, 1), want: '2a82810701' },
    { given: null, want: '21' },
    { given: '', want: '20' },
    { given: 'a', want: '4061' },
    { given: 'é', want: '80c3a9' },
    { given: [], want: 'f8f9' },
    { given: { '': {} }, want: 'fa20fafbfb' },
    { given: Uint8Array.of(0xff), want: 'e8817f01' },
  ]
  test.each(table)('$want', ({ given, want }) => {
    expect(toHex(write([given]))).toBe(`3a290a03${want}`)
  })

  test('an array of events, opened and closed by hand', () => {
    const writer = createSmileWriter()
    writer.startArray()
    const event = {
      eventName: 'FuuEvent',
      payload: { eventDate: 1_304_459_794_698, eventGranularity: 'HOURLY', hello: 'world' },
    }
    writer.write(event)
    writer.endArray()
    expect(toHex(writer.take())).toBe(
      '3a290a03f8fa886576656e744e616d65474675754576656e74867061796c6f6164fa886576656e74446174652501176d7b4d48948f6576656e' +
        '744772616e756c617269747945484f55524c598468656c6c6f44776f726c64fbfbf9',
    )
  })

  test('no reference to an index with a low byte of FE or FF', () => {
    // Three passes over 1 200 names: the table is emptied twice, and those two texts are spelled out each time.
    const names = Array.from({ length: 1200 }, (_, i) => `n${i}`)
    const list = [0, 1, 2].flatMap(() => names.map(name => ({ [name]: `v${name}` })))
    const written = write(list)
    expect([...readSmile(written)]).toEqual(list)
    const twice = toHex(write([...names.slice(0, 256), 'n254', 'n255', 'n254', 'n253']))
    const spelled = `43${Buffer.from('n254').toString('hex')}43${Buffer.from('n255').toString('hex')}`
    expect(twice.endsWith(`${spelled}${spelled}ed00ecfd`)).toBe(true)
  })
})

describe('take', () => {
  test('gives the bytes written since, and references stay valid', () => {
    const writer = createSmileWriter()
    writer.write({ a: 'b' })
    expect(writer.byteLength).toBe(10)
    expect(toHex(writer.take())).toBe('3a290a03fa80614062fb')
    expect(writer.byteLength).toBe(0)
    writer.write({ a: 'b' })
    expect(toHex(writer.take())).toBe('fa4001fb')
  })

  test('gives bytes that later writes leave alone', () => {
    const writer = createSmileWriter()
    const taken = writer.take()
    writer.write('x'.repeat(100))
    expect(toHex(taken)).toBe('3a290a03')
  })
})

describe('write', () => {
  const unwritable: readonly {
    readonly name: string
    readonly value: unknown
    readonly error: typeof Error | typeof FormatError
  }[] = [
    { name: 'a lone surrogate', value: 'x\ud800', error: FormatError },
    { name: 'a lone surrogate in a long string', value: `${'x'.repeat(100)}\udc00`, error: FormatError },
    { name: 'a lone surrogate in a name', value: { '\ud800': 1 }, error: FormatError },
    { name: 'an integer of more than 4096 bytes', value: 2n ** 32_767n, error: FormatError },
    { name: 'undefined', value: undefined, error: TypeError },
    { name: 'a function', value: () => 1, error: TypeError },
  ]
  test.each(unwritable)('refuses $name, and nothing of it is left', ({ value, error }) => {
    const bad = { seen: 'again', fresh: 'text', deep: [{ fresh2: 'text2' }, value] } as unknown as Value
    const good = [{ seen: 'again' }, { fresh: 'text', seen: 'text2' }, { fresh2: 'again' }]
    const writer = createSmileWriter()
    for (const each of good.slice(0, 1)) writer.write(each)
    const before = writer.byteLength
    expect(() => writer.write(bad)).toThrow(error)
    expect(writer.byteLength).toBe(before)
    for (const each of good.slice(1)) writer.write(each)
    expect(toHex(writer.take())).toBe(toHex(write(good)))
  })

  test('goes back over tables that were emptied meanwhile', () => {
    const texts = Array.from({ length: 1500 }, (_, i) => `t${i}`)
    const bad: Value = [...texts, ...texts.slice(0, 10), '\ud800']
    const good: Value = ['t1', 'early', 't2', 't1499', 'early']
    const writer = createSmileWriter()
    writer.write(['early', 't1'])
    expect(() => writer.write(bad)).toThrow('a lone surrogate')
    writer.write(good)
    expect(toHex(writer.take())).toBe(toHex(write([['early', 't1'], good])))
  })

  test('takes 1000 levels, the open array among them', () => {
    const deep = (levels: number): Value => Array.from({ length: levels - 1 }).reduce<Value>(inner => [inner], [])
    expect([...readSmile(write([deep(1000)]))]).toHaveLength(1)
    expect(() => write([deep(1001)])).toThrow('more than 1000 levels')
    expect(() => writeArray([deep(1000)])).toThrow('more than 1000 levels')
  })

  test('refuses an end without a beginning', () => {
    expect(() => createSmileWriter().endArray()).toThrow(TypeError)
  })

  test('writes the largest integer that is read', () => {
    const largest = 2n ** 32_767n - 1n
    expect([...readSmile(write([largest, -largest - 1n]))]).toEqual([largest, -largest - 1n])
  })

  test('then read gives the same values', () => {
    fc.assert(
      fc.property(fc.array(values({ json: false })), list => {
        deepStrictEqual([...readSmile(write(list))], list)
        deepStrictEqual([...readSmileElements(writeArray(list))], list)
        const plain = { sharedNames: false, sharedStrings: false, rawBinary: true }
        deepStrictEqual([...readSmile(write(list, plain))], list)
      }),
    )
  })
})
