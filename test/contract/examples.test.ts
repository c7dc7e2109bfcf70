import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Schema } from '../../src/contract/document.ts'
import { createParameterReader } from '../../src/contract/parameters.ts'
import { contract } from '../unit/contract/fixture.ts'

describe.each(contract.operations)('$id', operation => {
  test('takes the example of each of its parameters, and its own defaults', () => {
    const toLookup = (place: string) => {
      const inPlace = operation.parameters.filter(parameter => parameter.in === place)
      const examples = new Map(
        inPlace.map(({ name, example }) => [place === 'header' ? name.toLowerCase() : name, String(example)]),
      )
      return (name: string) => examples.get(name)
    }
    const repeated = (key: string): readonly string[] =>
      operation.parameters.flatMap(({ name, example }) => (name === key && Array.isArray(example) ? example : []))
    const sources = { path: toLookup('path'), query: toLookup('query'), header: toLookup('header'), repeated }
    expect(() => createParameterReader(operation)(sources)).not.toThrow()
    for (const { name, schema, validator } of operation.parameters) {
      if (schema.default !== undefined)
        expect({ name, ok: validator.safeParse(schema.default).success }).toEqual({ name, ok: true })
    }
  })

  test('has examples of bodies that fit their schemas', () => {
    const contents = [operation.requestContent, ...operation.answers.map(({ content }) => content)]
    for (const [type, { schema, example, examples }] of contents.flatMap(content => Object.entries(content))) {
      if (schema === undefined || schema.format === 'binary') continue
      const validator = z.fromJSONSchema(schema)
      const values = [...Object.values(examples).map(({ value }) => value), ...(example === undefined ? [] : [example])]
      for (const value of values)
        expect({ type, value, error: validator.safeParse(value).error?.issues }).toEqual({ type, value })
    }
  })

  test('bounds every text and number that it takes', () => {
    const isBounded = (schema: Schema): boolean => {
      if (schema.type === 'boolean' || schema.enum !== undefined) return true
      if (schema.type === 'string') return schema.maxLength !== undefined
      if (schema.type === 'array') return schema.maxItems !== undefined && isBounded(schema.items ?? {})
      return schema.minimum !== undefined && schema.maximum !== undefined
    }
    for (const { name, schema } of operation.parameters) {
      const bounded = isBounded(schema)
      expect({ name, bounded }).toEqual({ name, bounded: true })
    }
  })
})
