import { expect, test } from 'vitest'
import { compileContract } from '../../../src/event-contracts/compile-contract.ts'

const fieldsOf = (schema: string, others: Readonly<Record<string, string>> = {}): string =>
  compileContract({ type: 'T', file: 'T.json', texts: new Map([['T.json', schema], ...Object.entries(others)]) })
    .fields.map(({ id, name, type }) => `${id} ${name}:${type}`)
    .join(', ')

test.each([
  [
    '{"properties":{"z":{"type":"integer"},"a":{"type":"number"},"10":{"type":"boolean"}}}',
    '1 z:long, 2 a:double, 3 10:boolean',
  ],
  ['{"properties":{"eventDate":{"type":"integer"},"a":{"type":["string","null"]}}}', '1 a:string'],
  [
    '{"properties":{"a":{"type":"string","format":"date-time"},"b":{"type":["integer","number"]},"c":{"type":["integer","string"]}}}',
    '1 a:string, 2 b:double, 3 c:',
  ],
  [
    '{"properties":{"a":{"enum":["x","y"]},"b":{"const":true},"c":{"enum":["x",1]},"d":{"type":"object"},"e":true}}',
    '1 a:string, 2 b:boolean, 3 c:, 4 d:, 5 e:',
  ],
  [
    '{"properties":{"a":{"$ref":"#/$defs/id"},"b":{"$ref":"o.json#/$defs/t"}},"$defs":{"id":{"type":"integer"}}}',
    '1 a:long, 2 b:string',
  ],
  [
    '{"properties":{"a":{"type":"string"}},"allOf":[{"$ref":"o.json"},{"properties":{"c":{"type":"boolean"}}}]}',
    '1 a:string, 2 b:double, 3 c:boolean',
  ],
  ['{"$ref":"#"}', ''],
  ['true', ''],
])('%s has %s', (schema, want) => {
  const others = {
    'o.json': '{"properties":{"a":{"type":"integer"},"b":{"type":"number"}},"$defs":{"t":{"type":"string"}}}',
  }
  expect(fieldsOf(schema, others)).toBe(want)
})
