import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Budget } from '../../../src/formats/budget.ts'
import { parseJson, stringifyJson } from '../../../src/formats/json.ts'
import { parseExactJson } from '../../../src/formats/json-long.ts'
import { fromMembers, setMember, toName } from '../../../src/formats/members.ts'
import type { Value } from '../../../src/formats/number.ts'
import { readSmile } from '../../../src/formats/smile/reader.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { SmileRowReader } from '../../../src/formats/smile-rows.ts'
import { createEventRows } from '../../../src/rows/events.ts'
import { noRegistrar } from '../../../src/rows/registrar/registrar.ts'

const names = fc.uniqueArray(
  fc.oneof(
    fc.string(),
    fc.constantFrom(
      '10',
      '2',
      '0',
      '01',
      '4294967294',
      '4294967295',
      '99999999999',
      '-1',
      '\u0000',
      '\u00001',
      '__proto__',
    ),
  ),
  { maxLength: 8 },
)

const throughSmile = (value: Value): Value => {
  const writer = createSmileWriter()
  writer.write(value)
  const [read = null] = readSmile(writer.take())
  return read
}

describe('names keep their place', () => {
  test.each([
    '{"b":1,"10":2}',
    '{"10":{"9":[{"b":1,"2":"x"}]},"b":1.5,"1":18446744073709551616}',
    '{"\\u0000":1,"a":2}',
  ])('%s, through JSON and Smile', text => {
    expect(stringifyJson(parseJson(text))).toBe(text)
    expect(stringifyJson(throughSmile(parseJson(text)))).toBe(text)
  })
  test('with line breaks as JSON.stringify makes them', () => {
    const text = '{"b":[],"a":{},"c":[1,{"d":"\\u2028\\n"}],"e":null}'
    const indented = JSON.stringify(JSON.parse(text), null, 2)
    expect(stringifyJson(parseJson(text.replace('"b"', '"10"')), { indent: 2 })).toBe(indented.replace('"b"', '"10"'))
  })
  test('a name that is written with escapes', () => {
    expect(stringifyJson(parseJson('{"b":1,"\\u0031\\u0030":2}'))).toBe('{"b":1,"10":2}')
    expect(stringifyJson(parseJson('{"b":1,"1\\u0030":2}'))).toBe('{"b":1,"10":2}')
  })
  test('any names, in any order', () => {
    fc.assert(
      fc.property(names, list => {
        const object = fromMembers(list.map((name, index) => [name, index]))
        const last = list.filter(name => name !== '__proto__').length === list.length
        if (last) expect(Object.keys(object).map(toName)).toEqual(list)
        const text = stringifyJson(object)
        expect(stringifyJson(parseJson(text))).toBe(text)
        expect(stringifyJson(parseExactJson(text))).toBe(text)
      }),
    )
  })
  test('of equal names the last counts', () => {
    const object: { [key: string]: Value } = {}
    setMember(object, '7', 1)
    setMember(object, 'a', 2)
    setMember(object, '7', 3)
    expect(stringifyJson(object)).toBe('{"7":3,"a":2}')
  })
})

test('rows of JSON and of Smile have their columns in the order of the names', () => {
  const rows = createEventRows({ registrar: noRegistrar, absentValue: '' })
  for (const text of ['{"b":1,"10":2}', '{"eventName":"A","payload":{"b":1,"10":2}}']) {
    const smile = createSmileWriter()
    smile.write(parseJson(text))
    const elements: Parameters<typeof rows.fromColumns>[0][] = []
    const add = (element: (typeof elements)[number]): boolean => elements.push(element) > 0
    new SmileRowReader(new Budget('smile')).read(smile.take(), true, add, { row: 0, offset: 0 })
    for (const row of [rows.fromValue(parseJson(text)), rows.fromColumns(elements[0] ?? null)]) {
      expect(row).toEqual({ names: ['b', '10'], values: [1, 2] })
    }
  }
})
