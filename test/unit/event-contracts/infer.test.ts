import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileContract } from '../../../src/event-contracts/compile-contract.ts'
import { createInference } from '../../../src/event-contracts/infer.ts'
import { parseJson, stringifyJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'

const infer = (payloads: readonly string[]): string => {
  const inference = createInference()
  for (const payload of payloads) inference.add(parseJson(payload))
  return stringifyJson(inference.schema('T'))
}
const head = '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"T","type":"object"'

test.each<[string[], string]>([
  [['{"a":1,"b":"x"}', '{"a":2}'], ',"properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}'],
  [['{"a":1}', '{"a":1.5}', '{"a":null}'], ',"properties":{"a":{"type":["number","null"]}},"required":["a"]}'],
  [['{"a":9007199254740993}', '{"a":1.0}'], ',"properties":{"a":{"type":"integer"}},"required":["a"]}'],
  [
    ['{"a":[1,"x"]}', '{"a":[]}'],
    ',"properties":{"a":{"type":"array","items":{"type":["string","integer"]}}},"required":["a"]}',
  ],
  [
    ['{"a":{"b":true}}', '{"a":{"c":1}}'],
    ',"properties":{"a":{"type":"object","properties":{"b":{"type":"boolean"},"c":{"type":"integer"}}}},"required":["a"]}',
  ],
  [['{"a":"2026-11-20T10:00:00Z"}'], ',"properties":{"a":{"type":"string","format":"date-time"}},"required":["a"]}'],
  [['{"a":"2026-11-20"}', '{"a":"soon"}'], ',"properties":{"a":{"type":"string"}},"required":["a"]}'],
  [['{"10":1,"9":2}'], ',"properties":{"10":{"type":"integer"},"9":{"type":"integer"}},"required":["10","9"]}'],
  [['{}', '{"eventDate":1,"eventGranularity":"DAILY"}'], '}'],
])('%j', (payloads, want) => expect(infer(payloads)).toBe(head + want))

test('an object with very many names has no properties', () => {
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, 1])))
  expect(infer([many])).toBe(`${head}}`)
})

test('whatever came fits the schema that was made of it', () => {
  const value = fc.letrec<{ value: Value }>(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 1, 1.5, 'x', '2026-11-20', '10.0.0.1', '123e4567-e89b-12d3-a456-426614174000'),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '10', '__proto__', 'toString'), tie('value'), { maxKeys: 3 }),
    ),
  })).value
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.constantFrom('a', 'b', '1'), value), { minLength: 1, maxLength: 6 }),
      payloads => {
        const texts = payloads.map(payload => JSON.stringify(payload))
        const contract = compileContract({ type: 'T', file: 'T.json', texts: new Map([['T.json', infer(texts)]]) })
        for (const text of texts) expect(contract.judge(parseJson(text) as { [key: string]: Value })).toBeUndefined()
      },
    ),
    { numRuns: 60 },
  )
})
