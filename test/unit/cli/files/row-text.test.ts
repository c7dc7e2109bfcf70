import { expect, test } from 'vitest'
import { toCellText } from '../../../../admin/cli/files/row-text.ts'
import { parseJson } from '../../../../src/formats/json.ts'

test.each([
  ['1234567.891234', '1234567.891234'],
  ['12.5', '12.5'],
  ['1.0', '1.0'],
  ['18446744073709551615', '18446744073709551615'],
  ['0.10000000000000000000001', '0.10000000000000000000001'],
  ['"a b"', 'a b'],
  ['null', '–'],
  ['true', 'true'],
  ['[1.5,"x",null]', '1.5, x, –'],
  ['[[1.5],{"a":2.0}]', '[[1.5],{"a":2.0}]'],
  ['{"b":1234567.891234,"a":9007199254740993}', '{"b":1234567.891234,"a":9007199254740993}'],
])('toCellText of %s is as the file has it', (json, want) => expect(toCellText(parseJson(json))).toBe(want))
