import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileContract } from '../../../src/event-contracts/compile-contract.ts'
import type { EventContract } from '../../../src/event-contracts/contract.ts'
import { SchemaError } from '../../../src/event-contracts/schema-error.ts'
import { parseJson } from '../../../src/formats/json.ts'
import { Decimal, Float32, Float64, type Value } from '../../../src/formats/number.ts'

type Files = Readonly<Record<string, string>>
const compile = (schema: string | object, others: Files = {}): EventContract => {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema)
  return compileContract({
    type: 'Order',
    file: 'Order.json',
    texts: new Map([['Order.json', text], ...Object.entries(others)]),
  })
}
const isObject = (value: unknown): value is Readonly<Record<string, Value>> =>
  typeof value === 'object' && value !== null

/** As an event of JSON arrives: by `JSON.parse`, exactly where that is asked for. */
const judge = (contract: EventContract, payload: string): string | undefined => {
  const value: unknown = JSON.parse(payload)
  return isObject(value) ? contract.judge(value, { isNative: true, exact: () => parseJson(payload) }) : 'no object'
}
const judgeA = (schema: string, a: string): string | undefined =>
  judge(compile(`{"properties":{"a":${schema}}}`), `{"a":${a}}`)

describe('a field and its schema', () => {
  test.each<[schema: string, good: string[], bad: [given: string, words: string][]]>([
    ['{"type":"string"}', ['"x"'], [['1', 'is the number 1; expected a text']]],
    [
      '{"type":["integer","null"]}',
      ['1', '1.0', '1e3', 'null', '123456789012345678901234567890'],
      [
        ['1.5', 'is the number 1.5; expected a whole number or null'],
        ['"1"', 'is "1"; expected a whole number or null'],
      ],
    ],
    [
      '{"type":"number"}',
      ['1', '1.5', '1e400', '-0'],
      [
        ['true', 'is true; expected a number'],
        ['null', 'is null; expected a number'],
      ],
    ],
    ['{"type":"object"}', ['{}'], [['[1,2]', 'is a list of 2; expected an object']]],
    ['{"type":"array"}', ['[]'], [['{"b":1}', 'is an object of 1 fields; expected a list']]],
    ['{"type":"boolean"}', ['true'], [['0', 'is the number 0; expected true or false']]],
    ['{"minimum":1.5}', ['1.5', '"a"', '99999999999999999999'], [['1', 'is the number 1; expected at least 1.5']]],
    ['{"exclusiveMinimum":1}', ['1.1'], [['1', 'is the number 1; expected more than 1']]],
    ['{"exclusiveMaximum":1}', ['0'], [['1', 'is the number 1; expected less than 1']]],
    [
      '{"maximum":9223372036854775807}',
      ['9223372036854775807', '-9223372036854775809'],
      [['9223372036854775808', 'is the number 9223372036854775808; expected at most 9223372036854775807']],
    ],
    [
      '{"minimum":-9223372036854775808}',
      ['-9223372036854775808'],
      [['-9223372036854775809', 'is the number -9223372036854775809; expected at least -9223372036854775808']],
    ],
    [
      '{"exclusiveMinimum":9007199254740992}',
      ['9007199254740993'],
      [['9007199254740992', 'is the number 9007199254740992; expected more than 9007199254740992']],
    ],
    [
      '{"multipleOf":3}',
      ['9007199254740993', '0', '"x"'],
      [['9007199254740994', 'is the number 9007199254740994; expected a multiple of 3']],
    ],
    [
      '{"multipleOf":0.01}',
      ['0.07', '19.99', '3', '-0.3'],
      [['0.075', 'is the number 0.075; expected a multiple of 0.01']],
    ],
    [
      '{"multipleOf":9007199254740993}',
      ['18014398509481986'],
      [['18014398509481985', 'is the number 18014398509481985; expected a multiple of 9007199254740993']],
    ],
    [
      '{"const":9007199254740993}',
      ['9007199254740993'],
      [['9007199254740992', 'is the number 9007199254740992; expected 9007199254740993']],
    ],
    [
      '{"enum":[1,"b",null,{"c":[1.0]}]}',
      ['1', '1.0', '"b"', 'null', '{"c":[1]}'],
      [
        ['2', 'is the number 2; expected one of 1, "b", null, {"c":[1]}'],
        ['{"c":[2]}', 'is an object of 1 fields; expected one of 1, "b", null, {"c":[1]}'],
      ],
    ],
    [
      '{"enum":[18446744073709551615]}',
      ['18446744073709551615'],
      [['18446744073709551616', 'is the number 18446744073709551616; expected 18446744073709551615']],
    ],
    [
      '{"const":{"a":{"b":9007199254740993}}}',
      ['{"a":{"b":9007199254740993}}'],
      [['{"a":{"b":9007199254740992}}', 'is an object of 1 fields; expected {"a":{"b":"9007199254740993"}}']],
    ],
    [
      '{"uniqueItems":true}',
      ['[1,"1",{"a":1,"b":2},9007199254740992,9007199254740993]'],
      [
        ['[1,1.0]', 'is a list of 2; expected no element twice'],
        ['[{"a":1,"b":2},{"b":2,"a":1}]', 'is a list of 2; expected no element twice'],
      ],
    ],
    ['{"uniqueItems":false}', ['[1,1]'], []],
    [
      '{"minLength":2,"maxLength":3}',
      ['"ab"', '"😀😀😀"'],
      [
        ['"a"', 'is "a"; expected at least 2 characters'],
        ['"abcd"', 'is "abcd"; expected at most 3 characters'],
      ],
    ],
    ['{"pattern":"^a+$"}', ['"aa"', '5'], [['"ab"', 'is "ab"; expected the pattern "^a+$"']]],
    [
      '{"format":"date-time"}',
      ['"2026-11-20T10:00:00Z"', '"2026-11-20t10:00:00.123+02:00"'],
      [['"2026-02-30T10:00:00Z"', 'is "2026-02-30T10:00:00Z"; expected the format date-time']],
    ],
    ['{"format":"date"}', ['"2028-02-29"'], [['"2026-02-29"', 'is "2026-02-29"; expected the format date']]],
    ['{"format":"ipv4"}', ['"10.0.0.1"'], [['"10.0.0.256"', 'is "10.0.0.256"; expected the format ipv4']]],
    [
      '{"format":"uuid"}',
      ['"123e4567-e89b-12d3-a456-426614174000"'],
      [['"123e4567"', 'is "123e4567"; expected the format uuid']],
    ],
    ['{"format":"my-own"}', ['"anything"'], []],
    [
      '{"minItems":1,"maxItems":2}',
      ['[1]'],
      [
        ['[]', 'is a list of 0; expected at least 1 elements'],
        ['[1,2,3]', 'is a list of 3; expected at most 2 elements'],
      ],
    ],
    [
      '{"minProperties":1,"maxProperties":1}',
      ['{"b":1}'],
      [
        ['{}', 'is an object of 0 fields; expected at least 1 fields'],
        ['{"b":1,"c":2}', 'is an object of 2 fields; expected at most 1 fields'],
      ],
    ],
    [
      '{"contains":{"const":1},"maxContains":1}',
      ['[2,1]'],
      [['[2]', 'is a list of 1; expected 1 to 1 elements that fit contains']],
    ],
    ['{"not":{"type":"string"}}', ['1'], [['"s"', 'is "s"; expected what does not fit not']]],
    [
      '{"anyOf":[{"type":"string"},{"minimum":5}]}',
      ['"s"', '5'],
      [['4', 'is the number 4; expected one of the 2 forms of anyOf']],
    ],
    [
      '{"oneOf":[{"type":"integer"},{"minimum":5}]}',
      ['4', '5.5'],
      [
        ['5', 'is the number 5; expected exactly one of the 2 forms of oneOf, and several fit'],
        ['4.5', 'is the number 4.5; expected exactly one of the 2 forms of oneOf, and none fits'],
      ],
    ],
    ['false', [], [['1', 'is the number 1; expected nothing there']]],
    [
      '{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}',
      ['"ab"', '2'],
      [
        ['"a"', 'is "a"; expected at least 2 characters'],
        ['1', 'is the number 1; expected at least 2'],
      ],
    ],
  ])('%s', (schema, good, bad) => {
    for (const given of good) expect(judgeA(schema, given), given).toBeUndefined()
    for (const [given, words] of bad) expect(judgeA(schema, given), given).toBe(`/a ${words}`)
  })

  test.each<[schema: object, payload: string, words: string | undefined]>([
    [{ required: ['a', 'b'] }, '{"a":1}', '/b is missing; expected a value, for it is required'],
    [{ required: ['toString'] }, '{}', '/toString is missing; expected a value, for it is required'],
    [
      { properties: { a: {} }, additionalProperties: false },
      '{"a":1,"b/c~":2}',
      '/b~1c~0 is not a field of its schema; expected fields of the schema only',
    ],
    [
      { properties: { a: {} }, unevaluatedProperties: false },
      '{"b":2}',
      '/b is not a field of its schema; expected fields of the schema only',
    ],
    [
      { propertyNames: { maxLength: 2 } },
      '{"abc":2}',
      '/abc has a name that does not fit; expected at most 2 characters',
    ],
    [{ patternProperties: { '^n_': { type: 'number' } } }, '{"n_x":"y"}', '/n_x is "y"; expected a number'],
    [{ dependentRequired: { a: ['b'] } }, '{"a":1}', '/b is missing; expected a value, for "a" is there'],
    [
      { properties: { items: { items: { properties: { price: { minimum: 0 } } } } } },
      '{"items":[{"price":1},{"price":-1}]}',
      '/items/1/price is the number -1; expected at least 0',
    ],
    [
      { properties: { u: { anyOf: [{ type: 'object', required: ['id'] }, { type: 'null' }] } } },
      '{"u":{}}',
      '/u/id is missing; expected a value, for it is required',
    ],
    [{ minProperties: 1 }, '{}', 'the payload is an object of 0 fields; expected at least 1 fields'],
    [{ properties: { '10': { type: 'string' } } }, '{"10":1}', '/10 is the number 1; expected a text'],
  ])('%j of %s', (schema, payload, words) => expect(judge(compile(schema), payload)).toBe(words))
})

test('patterns of one schema are distinguished', () => {
  const contract = compile({ properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } })
  expect(judge(contract, '{"a":"a","b":"b"}')).toBeUndefined()
  expect(judge(contract, '{"a":"a","b":"a"}')).toBe('/b is "a"; expected the pattern "^b$"')
})

test('a large schema is compiled once, however many refer to it', () => {
  const fields = (count: number, schema: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, schema]))
  const contract = compile({
    properties: fields(1_000, { $ref: '#/$defs/large' }),
    $defs: { large: { properties: fields(1_000, { type: 'string' }) } },
  })
  expect(judge(contract, '{"f999":{"f999":1}}')).toBe('/f999/f999 is the number 1; expected a text')
})

describe('the date and granularity of an event', () => {
  const closed = { properties: { a: {} }, additionalProperties: false }
  test.each([
    closed,
    { ...closed, additionalProperties: undefined, unevaluatedProperties: false },
    { allOf: [closed] },
    { $ref: '#/$defs/closed', $defs: { closed } },
    { propertyNames: { maxLength: 1 } },
    { patternProperties: { '.': { type: 'string' } } },
    { maxProperties: 1 },
  ])('are no strangers to %j', schema => {
    const contract = compile(schema)
    expect(judge(contract, '{"a":"1","eventDate":5,"eventGranularity":"DAILY"}')).toBeUndefined()
  })

  test('are judged where the schema speaks of them', () => {
    expect(judge(compile({ ...closed, properties: { eventDate: { type: 'string' } } }), '{"eventDate":5}')).toMatch(
      /^\/eventDate is the number 5/,
    )
  })
})

describe('values of the value model', () => {
  const judgeValue = (schema: object, a: Value): string | undefined =>
    compile({ properties: { a: schema } }).judge({ a })
  test.each<[object, Value, boolean]>([
    [{ type: 'integer' }, new Float64(1), true],
    [{ type: 'integer' }, new Float32(1.5), false],
    [{ type: 'integer' }, new Decimal(10n, 1), true],
    [{ type: 'integer' }, new Decimal(15n, 1), false],
    [{ type: 'integer' }, new Decimal(1n, -300), true],
    [{ type: 'number', maximum: 5 }, 6n, false],
    [{ type: 'number', maximum: 5 }, new Decimal(51n, 1), false],
    [{ type: 'object' }, new Float64(1), false],
    [{ type: 'string' }, new Uint8Array([1, 2]), true],
    [{ const: 'AQI=' }, new Uint8Array([1, 2]), true],
    [{ const: { '10': 1, b: 1 } }, { '\u000010': new Float64(1), b: 1 }, true],
    [{ additionalProperties: false }, { '\u000010': 1 }, false],
    [{ type: 'number' }, Number.NaN, false],
  ])('%j of %o fits: %s', (schema, value, fits) => expect(judgeValue(schema, value) === undefined).toBe(fits))
})

describe('references', () => {
  const others = {
    'money.json': '{"$defs":{"amount":{"$anchor":"sum","type":"number","minimum":0}},"$ref":"#/$defs/amount"}',
    'a b.json': '{"type":"string"}',
  }
  test.each([
    ['#/$defs/x', '1'],
    ['money.json', '-1'],
    ['./money.json#/$defs/amount', '-1'],
    ['money.json#sum', '-1'],
    ['a%20b.json', '1'],
  ])('%s leads to a schema', (ref, bad) => {
    const contract = compile({ properties: { a: { $ref: ref } }, $defs: { x: { type: 'string' } } }, others)
    expect(judge(contract, `{"a":${bad}}`)).toMatch(/^\/a is/)
  })

  test('a list of lists', () => {
    const tree = compile({ properties: { children: { type: 'array', items: { $ref: '#' } }, n: { type: 'integer' } } })
    expect(judge(tree, '{"children":[{"children":[{"n":1}]}]}')).toBeUndefined()
    expect(judge(tree, '{"children":[{"children":[{"n":"x"}]}]}')).toBe(
      '/children/0/children/0/n is "x"; expected a whole number',
    )
  })
})

describe('schemas that are not taken', () => {
  const outside = 'leads out of the directory; expected "#/…", or a file beside this one, "name.json" or "name.json#/…"'
  test.each([
    ['{\n"type": }', 2, 'not JSON: expected a value, found "}"'],
    ['[]', 1, 'expected a JSON Schema, which is an object'],
    [
      '{\n\n"properties":{\n"a":{"type":"text"}}}',
      4,
      'type must be equal to one of the allowed values: array, boolean, integer, null, number, object, string',
    ],
    ['{"properties":{\n"a":{"minimum":"1"}}}', 2, 'minimum must be number'],
    ['{"properties":{"a":{\n"requird":["x"]}}}', 2, '"requird" is no keyword of JSON Schema; did you mean required?'],
    [
      '{"properties":{"a":{\n"dependencies":{}}}}',
      2,
      'dependencies is of an older draft: use dependentRequired or dependentSchemas',
    ],
    ['{"properties":{"a":{\n"pattern":"(?=x)"}}}', 2, /^"\(\?=x\)" is not a regular expression: .*lookahead/],
    ['{"patternProperties":{\n"(a)\\\\1":{}}}', 2, /is not a regular expression/],
    ['{"properties":{"a":{\n"$ref":"http://example.org/x.json"}}}', 2, `$ref "http://example.org/x.json" ${outside}`],
    ['{"properties":{"a":{\n"$ref":"../x.json"}}}', 2, `$ref "../x.json" ${outside}`],
    ['{"properties":{"a":{\n"$ref":"/etc/x.json"}}}', 2, `$ref "/etc/x.json" ${outside}`],
    ['{"properties":{"a":{\n"$ref":"..%2Fx.json"}}}', 2, `$ref "..%2Fx.json" ${outside}`],
    ['{"properties":{"a":{\n"$ref":"x.json"}}}', 2, '$ref: there is no file x.json beside it'],
    ['{"properties":{"a":{\n"$ref":"#/$defs/b"}}}', 2, '$ref: Order.json has no schema at #/$defs/b'],
    ['{"properties":{"a":{\n"$id":"x"}}}', 2, '$id stands at the top of a file only'],
    [
      '{\n"$schema":"http://json-schema.org/draft-07/schema#"}',
      2,
      'http://json-schema.org/draft-07/schema# is not taken: expected draft 2020-12',
    ],
    ['{\n"x-sluice-validation":"no"}', 2, 'x-sluice-validation: expected one of off, warn, reject'],
    [
      '{"properties":{"a":{\n"x-sluice-validation":"warn"}}}',
      2,
      'x-sluice-validation stands at the top of a file only',
    ],
    [`{"a":"${'x'.repeat(300_000)}"}`, undefined, 'more than 262144 bytes'],
    [`{"enum":[${'1,'.repeat(20_000)}1]}`, 1, 'more than 20000 values'],
    [`${'{"not":'.repeat(80)}{}${'}'.repeat(80)}`, 1, 'nested deeper than 64 levels'],
  ])('%#', (text, line, why) => {
    const thrown = (() => {
      try {
        return compile(text)
      } catch (error) {
        return error
      }
    })()
    if (!(thrown instanceof SchemaError)) throw new Error('it was taken')
    expect(thrown).toMatchObject({ file: 'Order.json', line })
    expect(thrown.why).toEqual(typeof why === 'string' ? why : expect.stringMatching(why))
  })
})

test('notes and extensions judge nothing', () => {
  const contract = compile({
    $id: 'https://example.org/order',
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'x',
    default: { a: 1 },
    examples: [1],
    'x-owner': 'me',
    'x-sluice-validation': 'reject',
    $comment: 'y',
  })
  expect(judge(contract, '{"a":1}')).toBeUndefined()
  expect(contract.mode).toBe('reject')
})

describe('as ajv has it', () => {
  const schema = fc.letrec<{ schema: object }>(tie => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(
        { type: 'integer' },
        { type: ['string', 'null'] },
        { minimum: 2 },
        { exclusiveMaximum: 3 },
        { enum: [1, 'a', [1], { a: 1 }] },
        { const: 'b' },
        { multipleOf: 2 },
        { uniqueItems: true },
        { maxLength: 1 },
        { minItems: 1 },
        { type: 'number' },
      ),
      fc.record({
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')),
        required: fc.constantFrom([], ['a']),
      }),
      fc.record({ items: tie('schema') }),
      fc.record({ additionalProperties: tie('schema') }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie('schema') }),
    ),
  })).schema
  const leaf = fc.oneof(fc.integer({ min: -3, max: 5 }), fc.constantFrom('a', 'b', 'cc', true, null, 1.5))
  const payload = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.constantFrom('a', 'b'), leaf)),
  )

  test('whatever schema and payload', () => {
    fc.assert(
      fc.property(schema, fc.array(payload, { minLength: 1 }), (given, payloads) => {
        const theirs = new Ajv2020({ strict: false }).compile(given)
        const ours = compile(given)
        for (const one of payloads) expect(judge(ours, JSON.stringify(one)) === undefined).toBe(theirs(one))
      }),
      { numRuns: 50 },
    )
  })
})
