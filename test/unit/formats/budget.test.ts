import { describe, expect, test } from 'vitest'
import { rebase } from '../../../src/codecs/rebase.ts'
import { LimitError } from '../../../src/errors.ts'
import { AvroReader } from '../../../src/formats/avro/reader.ts'
import { parseAvroSchema } from '../../../src/formats/avro/schema.ts'
import { Budget, type BudgetLimits, unlimited } from '../../../src/formats/budget.ts'
import { scanJson } from '../../../src/formats/json-scan.ts'
import { splitJsonSequence } from '../../../src/formats/json-sequence.ts'
import type { Value } from '../../../src/formats/number.ts'
import { readSmileElements } from '../../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { checkFieldList, decodeFields, encodeFields, thriftType } from '../../../src/formats/thrift/field-list.ts'

const limits: BudgetLimits = { of: 'row', values: { max: 3, setting: 'a.values' }, bytes: { max: 10 } }

describe('Budget', () => {
  test('takes as much as its limits, and names what is over them', () => {
    const budget = new Budget('x', limits)
    budget.refill(7, 100)
    budget.value()
    budget.values(2)
    budget.bytes(10)
    expect([budget.usedValues, budget.usedBytes]).toEqual([3, 10])
    const message = 'x: expected row 7 to hold at most'
    expect(() => budget.value()).toThrow(`${message} 3 values (a.values), found more at byte 100`)
    expect(() => budget.bytes(1)).toThrow(`${message} 10 bytes, found more at byte 100`)
    expect(() => budget.value()).toThrow(LimitError)
  })

  test('is there in full again for the next', () => {
    const budget = new Budget('x', limits)
    budget.values(3)
    budget.bytes(9)
    budget.refill()
    expect([budget.usedValues, budget.usedBytes]).toEqual([0, 0])
    budget.values(3)
    budget.bytes(10)
    expect(() => budget.values(1)).toThrow('x: expected row to hold at most 3 values (a.values), found more at byte 0')
  })

  test('its errors keep the place that they name', () => {
    const error = new LimitError('x', 7, 'expected less')
    expect(rebase(error, 100)).toBe(error)
  })
})

/** Decodes with a budget of these limits. */
const decoders: Record<string, (values: number, bytes: number) => unknown> = {
  avro: (values, bytes) => {
    const schema = parseAvroSchema('{"type":"map","values":{"type":"array","items":"string"}}')
    // {"ab": ["x", "yz"]}
    const encoded = Buffer.from('0204616204027804797a0000', 'hex')
    return new AvroReader(encoded, new Budget('avro', toLimits(values, bytes))).value(schema)
  },
  smile: (values, bytes) => {
    const writer = createSmileWriter()
    writer.write({ ab: ['x', 'yz'] })
    return [...readSmileElements(writer.take(), { budget: new Budget('smile', toLimits(values, bytes)) })]
  },
}

const toLimits = (values: number, bytes: number): BudgetLimits => ({
  of: 'row',
  values: { max: values },
  bytes: { max: bytes },
})

describe.each(Object.entries(decoders))('%s', (_, decode) => {
  test('counts arrays, objects and what is in them, and the bytes of names and texts', () => {
    expect(decode(4, 5)).toEqual(expect.anything())
    expect(() => decode(3, 5)).toThrow('at most 3 values')
    expect(() => decode(4, 4)).toThrow('at most 4 bytes')
  })
})

describe('smile', () => {
  const read = (value: Value, values: number, bytes: number, sharedStrings = true) => {
    const writer = createSmileWriter({ sharedStrings })
    writer.write(value)
    return [...readSmileElements(writer.take(), { budget: new Budget('smile', toLimits(values, bytes)) })]
  }

  test('counts the values of references, as often as they occur', () => {
    const value = [{ name: 'text' }, { name: 'text' }]
    expect(read(value[0] ?? null, 2, 8)).toEqual([value[0]])
    expect(() => read([value], 10, 15)).toThrow('at most 15 bytes')
    expect(read([value], 10, 16)).toEqual([value])
  })

  test('counts binary, packed or not, and long texts', () => {
    expect(() => read(new Uint8Array(11), 1, 10)).toThrow('at most 10 bytes')
    expect(() => read('x'.repeat(101), 1, 100)).toThrow('at most 100 bytes')
    expect(() => read('ä'.repeat(51), 1, 100)).toThrow('at most 100 bytes')
  })

  test('starts over with each element', () => {
    const values = [[1, 2], [3, 4], 5]
    expect(read(values, 3, 0)).toEqual(values)
    expect(() => read([1, [1, 2, 3]], 3, 0)).toThrow('expected row 1 to hold at most 3 values')
  })
})

describe('avro', () => {
  test('stops at items that take no bytes, however many there are said to be', () => {
    const schema = parseAvroSchema('{"type":"array","items":"null"}')
    const budget = new Budget('avro', toLimits(1_000, 0))
    expect(() => new AvroReader(Buffer.from('ffffffffffffffff7f00', 'hex'), budget).value(schema)).toThrow(
      'at most 1000 values',
    )
    expect(budget.usedValues).toBe(1_001)
  })
})

describe('thrift', () => {
  const fields = encodeFields([
    { id: 1, type: thriftType.i32, value: 1 },
    { id: 2, type: thriftType.string, value: Buffer.from('abc') },
  ])

  test.each([
    ['decodeFields', decodeFields],
    ['checkFieldList', checkFieldList],
  ] as const)('%s counts fields and the bytes of strings', (_, read) => {
    const run = (values: number, bytes: number) =>
      read(fields, 0, fields.length, new Budget('thrift', toLimits(values, bytes)))
    expect(run(2, 3)).toEqual(read(fields))
    expect(() => run(1, 3)).toThrow('at most 1 values')
    expect(() => run(2, 2)).toThrow('at most 2 bytes')
  })
})

describe('json', () => {
  test('a scan tells how many values parsing would make', () => {
    expect(scanJson('{"a":[1,{}],"b":null} ', 0, 10, { characters: 0 })).toMatchObject({ ok: true, values: 5 })
    expect(scanJson('[]', 0, 10, { characters: 0 })).toMatchObject({ values: 1 })
    expect(scanJson('"x"', 0, 10, { characters: 0 })).toMatchObject({ values: 1 })
  })

  test('so does the search for values in a sequence', () => {
    const items = [...splitJsonSequence('{"eventName":"a"} [1,{"b":2}] {"eventName":"b","payload":{"c":1}}')]
    expect(items.map(item => (item.kind === 'value' ? item.values : item.kind))).toEqual([2, 1, 2, 4])
  })
})

test('without limits nothing is too much', () => {
  const budget = new Budget('x', unlimited)
  budget.values(2 ** 30)
  budget.bytes(2 ** 30)
  expect(budget.usedValues).toBe(2 ** 30)
})
