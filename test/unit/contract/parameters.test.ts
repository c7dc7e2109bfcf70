import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createParameterReader } from '../../../src/contract/parameters.ts'
import { SluiceError } from '../../../src/errors.ts'
import { contract, createTinyContract } from './fixture.ts'

const createReader = (...parameters: readonly string[]) => {
  const [operation] = createTinyContract(...parameters).operations
  if (operation === undefined) throw new Error('no operation')
  const read = createParameterReader(operation)
  return (values: Readonly<Record<string, string>>) =>
    read({
      path: name => values[`path:${name}`],
      query: name => values[name],
      header: name => values[`header:${name}`],
      repeated: name => values[name]?.split('|') ?? [],
    })
}

const integer =
  '{ name: n, in: query, description: N., schema: { type: integer, minimum: -5, maximum: 9007199254740991 } }'
const flag = '{ name: f, in: query, allowEmptyValue: true, description: F., schema: { type: boolean, default: false } }'
const choice =
  '{ name: c, in: query, description: C., schema: { type: string, enum: [HOURLY, Daily], x-sluice-ignore-case: true } }'
const needed =
  '{ name: p, in: query, required: true, description: P., schema: { type: string, minLength: 1, maxLength: 3 } }'
const spaced = "{ name: r, in: query, description: R., schema: { type: string, pattern: '^[0-9]+-[0-9]+$' } }"
const header = '{ name: Some-Key, in: header, description: H., schema: { type: string, maxLength: 3 } }'
const list =
  '{ name: l, in: query, allowEmptyValue: true, description: L., schema: { type: array, items: { type: string, maxLength: 3 }, maxItems: 2, x-sluice-expected: at most two words } }'
const real = '{ name: d, in: query, description: D., schema: { type: number, minimum: 0 } }'

describe('createParameterReader', () => {
  test.each([
    { parameter: integer, given: { n: '5' }, want: { n: 5 } },
    { parameter: integer, given: { n: '-5' }, want: { n: -5 } },
    { parameter: integer, given: { n: '9007199254740991' }, want: { n: Number.MAX_SAFE_INTEGER } },
    { parameter: integer, given: { n: '-0' }, want: { n: 0 } },
    { parameter: integer, given: {}, want: {} },
    { parameter: flag, given: {}, want: { f: false } },
    { parameter: flag, given: { f: '' }, want: { f: false } },
    { parameter: flag, given: { f: 'TRUE' }, want: { f: true } },
    { parameter: flag, given: { f: 'False' }, want: { f: false } },
    { parameter: choice, given: { c: 'hourly' }, want: { c: 'HOURLY' } },
    { parameter: choice, given: { c: 'DAILY' }, want: { c: 'Daily' } },
    { parameter: needed, given: { p: 'abc', other: '1' }, want: { p: 'abc' } },
    { parameter: spaced, given: { r: '1-50' }, want: { r: '1-50' } },
    { parameter: header, given: { 'header:some-key': 'abc' }, want: { 'Some-Key': 'abc' } },
    { parameter: real, given: { d: '1.5' }, want: { d: 1.5 } },
    { parameter: list, given: { l: 'a' }, want: { l: ['a'] } },
    { parameter: list, given: { l: 'b||a' }, want: { l: ['b', 'a'] } },
    { parameter: list, given: { l: '' }, want: {} },
    { parameter: list, given: {}, want: {} },
  ])('reads $given as $want', ({ parameter, given, want }) => {
    expect(createReader(parameter)(given)).toEqual(want)
  })

  test.each([
    {
      parameter: integer,
      given: { n: '' },
      want: 'Parameter "n": expected an integer from -5 to 9007199254740991, got ""',
    },
    { parameter: integer, given: { n: '1.5' }, want: 'got "1.5"' },
    { parameter: list, given: { l: 'a|b|c' }, want: 'Parameter "l": expected at most two words, got "a&b&c"' },
    { parameter: list, given: { l: 'long' }, want: 'got "long"' },
    { parameter: integer, given: { n: '1e3' }, want: 'got "1e3"' },
    { parameter: integer, given: { n: ' 1' }, want: 'got " 1"' },
    { parameter: integer, given: { n: '0x10' }, want: 'got "0x10"' },
    { parameter: integer, given: { n: '-6' }, want: 'got "-6"' },
    { parameter: integer, given: { n: '9007199254740992' }, want: 'got "9007199254740992"' },
    { parameter: integer, given: { n: '9223372036854775808' }, want: 'got "9223372036854775808"' },
    { parameter: flag, given: { f: 'yes' }, want: 'Parameter "f": expected true or false, got "yes"' },
    { parameter: flag, given: { f: '1' }, want: 'got "1"' },
    { parameter: choice, given: { c: 'weekly' }, want: 'expected one of HOURLY, Daily (any case), got "weekly"' },
    { parameter: choice, given: { c: '' }, want: 'got ""' },
    { parameter: needed, given: {}, want: 'Parameter "p" is missing: expected text of 1 to 3 characters' },
    { parameter: needed, given: { p: '' }, want: 'got ""' },
    { parameter: needed, given: { p: 'a'.repeat(100) }, want: `got "${'a'.repeat(80)}"… (100 characters)` },
    { parameter: spaced, given: { r: '1-' }, want: 'expected text like ^[0-9]+-[0-9]+$, got "1-"' },
    {
      parameter: header,
      given: { 'header:some-key': 'abcd' },
      want: 'Header "Some-Key": expected text of up to 3 characters',
    },
    { parameter: real, given: { d: '1.' }, want: 'expected a number, at least 0, got "1."' },
    { parameter: real, given: { d: '-1' }, want: 'got "-1"' },
  ])('refuses $given: $want', ({ parameter, given, want }) => {
    const read = createReader(parameter)
    expect(() => read(given)).toThrow(
      expect.objectContaining({ code: 'bad-parameter', message: expect.stringContaining(want) }),
    )
  })

  test('gives a value or a known error for any text, whatever the operation', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...contract.operations),
        fc.dictionary(fc.string(), fc.string()),
        fc.string(),
        (operation, extra, text) => {
          try {
            createParameterReader(operation)({
              path: () => `/${text}`,
              query: name => extra[name] ?? text,
              header: () => text,
              repeated: () => [text, ...Object.keys(extra)],
            })
          } catch (error) {
            expect(error).toBeInstanceOf(SluiceError)
            expect(['bad-parameter', 'bad-path']).toContain(error instanceof SluiceError && error.code)
          }
        },
      ),
    )
  })

  test('keeps every integer within its limits exactly', () => {
    const read = createReader(integer)
    fc.assert(
      fc.property(fc.integer({ min: -5, max: Number.MAX_SAFE_INTEGER }), n => {
        expect(read({ n: String(n) })).toEqual({ n })
      }),
    )
  })
})

test('what is secret is in no error', () => {
  const secret = '{ name: k, in: query, description: K., schema: { type: string, maxLength: 3, format: password } }'
  expect(() => createReader(secret)({ k: 'S3cret' })).toThrow(/^Parameter "k": expected [^S]*$/)
  const inPath = '{ name: k, in: path, required: true, description: K., schema: { type: string, maxLength: 3 } }'
  expect(() => createReader(inPath)({ 'path:k': 'S3cret' })).toThrow(/^Parameter "k": expected [^S]*$/)
})
