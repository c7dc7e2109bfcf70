import { describe, expect, test } from 'vitest'
import { compileContract } from '../../../src/event-contracts/compile-contract.ts'
import type { EventContract } from '../../../src/event-contracts/contract.ts'
import { maxSteps, slowSteps, steps } from '../../../src/event-contracts/steps.ts'

const compile = (schema: object): EventContract =>
  compileContract({ type: 'Order', file: 'Order.json', texts: new Map([['Order.json', JSON.stringify(schema)]]) })

/** References that double at each of 60 levels. */
const doubling = (of: (ref: object) => object): object => {
  const levels = Array.from({ length: 60 }, (_, i) => [`d${i}`, of({ $ref: `#/$defs/d${i + 1}` })] as const)
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(levels), d60: { type: 'object' } } }
}
const many = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))
const wide = Object.fromEntries(many(60_000, i => [`y${i}`, 1]))

describe('no schema makes an event cost more than its steps', () => {
  test.each<[name: string, schema: object, payload: Readonly<Record<string, unknown>>]>([
    ['allOf of references', doubling(ref => ({ allOf: [ref, ref] })), {}],
    ['anyOf of references', doubling(ref => ({ anyOf: [{ type: 'null' }, { allOf: [ref, ref] }] })), {}],
    [
      'if, then and else',
      doubling(ref => Object.fromEntries(['if', 'then', 'else'].map(keyword => [keyword, ref]))),
      {},
    ],
    ['not', doubling(ref => ({ not: { anyOf: [{ not: ref }, { not: ref }] } })), {}],
    ['dependent schemas', doubling(ref => ({ dependentSchemas: { a: ref, b: ref } })), { a: 1, b: 2 }],
    ['a reference to itself', { $ref: '#' }, {}],
    ['a reference to itself within', { allOf: [{ anyOf: [{ $ref: '#' }] }] }, {}],
    [
      'elements compared with one another',
      { properties: { a: { uniqueItems: true } } },
      { a: many(60_000, i => ({ i })) },
    ],
    [
      'texts in lists',
      { properties: { a: { uniqueItems: true } } },
      { a: many(1_000, i => `${i}${'x'.repeat(10_000)}`) },
    ],
    ['a pattern of much text', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(1_000_000)}b` }],
    ['patterns of names', { patternProperties: Object.fromEntries(many(200, i => [`^x.*${i}`, true])) }, wide],
    [
      'long texts measured often',
      { allOf: many(100, () => ({ properties: { a: { maxLength: 9_000_000 } } })) },
      { a: 'a'.repeat(1_000_000) },
    ],
    ['members counted often', { allOf: many(100, () => ({ maxProperties: 1_000_000 })) }, wide],
    ['members looked at often', { allOf: many(100, () => ({ additionalProperties: { type: 'number' } })) }, wide],
    ['names looked at often', { allOf: many(100, () => ({ propertyNames: { minLength: 1 } })) }, wide],
    [
      'what nothing has evaluated',
      { allOf: many(100, () => ({ patternProperties: { '^y': {} }, unevaluatedProperties: false })) },
      wide,
    ],
    [
      'elements looked for often',
      { allOf: many(100, () => ({ properties: { a: { contains: { const: 1 }, minContains: 0, maxContains: 3 } } })) },
      { a: many(60_000, () => 5) },
    ],
  ])('%s', (_, schema, payload) => {
    const words = compile(schema).judge(payload, { isNative: true })
    expect(words).toBe(`the payload was not compared: it takes more than ${maxSteps} steps`)
  })

  test('nor does an ordinary large one come near it', () => {
    const contract = compile({
      properties: {
        a: {
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'integer' }, name: { type: 'string', maxLength: 99 } },
          },
        },
      },
    })
    const payload = { a: many(20_000, id => ({ id, name: 'somebody' })) }
    expect(contract.judge(payload, { isNative: true })).toBeUndefined()
    expect(maxSteps - steps.left).toBeLessThan(maxSteps * 0.9)
  })
})

describe('a schema that is too slow for most events of its type', () => {
  const contract = (): EventContract => compile({ properties: { a: { uniqueItems: true } } })
  const slow = { a: many(slowSteps / 30, i => i) }
  const twice = { a: [1, 1] }

  test('is given up, and takes all', () => {
    const given = contract()
    for (let i = 0; i < 50; i++) given.judge(slow, { isNative: true })
    expect(given.isTooSlow).toBe(true)
    expect(given.judge(twice, { isNative: true })).toBeUndefined()
  })

  test('is not given up for single events, however many', () => {
    const given = contract()
    for (let i = 0; i < 200; i++) {
      given.judge(slow, { isNative: true })
      given.judge(twice, { isNative: true })
    }
    expect(given.isTooSlow).toBe(false)
    expect(given.judge(twice, { isNative: true })).toMatch(/no element twice/)
  })
})
