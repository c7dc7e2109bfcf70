/**
 * Keywords for what `ajv` does not answer correctly, named for JSON Schema's with `x-` before: its numbers are doubles,
 * its `uniqueItems` compares each element with each other one, and it runs for as long as a schema wants.
 */
import { _, type Ajv2020, type Code, type KeywordCxt } from 'ajv/dist/2020.js'
import { type ExactNumber, isMultipleOf, isWhole, mayBeRounded, toValueKey } from './exact.ts'
import { steps } from './steps.ts'

/** Names of the keywords that take the place of JSON Schema's. */
export const ownKeywords = {
  type: 'x-type',
  minimum: 'x-minimum',
  maximum: 'x-maximum',
  exclusiveMinimum: 'x-exclusiveMinimum',
  exclusiveMaximum: 'x-exclusiveMaximum',
  multipleOf: 'x-multipleOf',
  enum: 'x-enum',
  const: 'x-const',
  uniqueItems: 'x-uniqueItems',
} as const

/** What a subschema costs. */
export const stepsKeyword = 'x-steps'
/** `cost` is known beforehand, `isSized` adds the size of what it looks at. */
export type StepCost = { readonly cost: number; readonly isSized: boolean }

/** Adds all of them. */
export const addKeywords = (ajv: Ajv2020): void => {
  ajv.addKeyword({ keyword: stepsKeyword, code: countSteps })
  ajv.addKeyword({ keyword: ownKeywords.type, error: noError, code: checkType })
  for (const [keyword, operator] of bounds)
    ajv.addKeyword({ keyword, error: noError, code: cxt => checkBound(cxt, operator) })
  ajv.addKeyword({ keyword: ownKeywords.multipleOf, error: noError, code: checkMultiple })
  for (const keyword of [ownKeywords.enum, ownKeywords.const])
    ajv.addKeyword({ keyword, errors: false, compile: (values: readonly unknown[]) => createIsOneOf(values) })
  ajv.addKeyword({
    keyword: ownKeywords.uniqueItems,
    type: 'array',
    errors: false,
    validate: hasNoTwins,
    schema: false,
  })
}

/** The words of a misfit are made on demand. */
const noError = { message: '' }

const stepsOf = (cxt: KeywordCxt) => cxt.gen.scopeValue('obj', { ref: steps })

const countSteps = (cxt: KeywordCxt): void => {
  const { cost, isSized } = cxt.schema as StepCost
  const name = stepsOf(cxt)
  cxt.gen.if(_`(${name}.left -= ${cost}) < 0`, () => cxt.gen.throw(_`${name}.out`))
  if (isSized) cxt.gen.code(_`${name}.takeFor(${cxt.data})`)
}

const checkType = (cxt: KeywordCxt): void => {
  const { data } = cxt
  const conditions: Readonly<Record<string, Code>> = {
    null: _`${data} === null`,
    array: _`Array.isArray(${data})`,
    object: _`typeof ${data} == "object" && ${data} !== null && !Array.isArray(${data})`,
    // 1e400 is infinite for `JSON.parse`.
    number: _`typeof ${data} == "number" && ${data} - ${data} === 0 || typeof ${data} == "bigint"`,
    integer: _`typeof ${data} == "number" && Number.isInteger(${data}) || typeof ${data} == "bigint"`,
    string: _`typeof ${data} == "string"`,
    boolean: _`typeof ${data} == "boolean"`,
  }
  const types = cxt.schema as readonly string[]
  const fits = types.map(type => conditions[type] ?? _`false`).reduce((any, one) => _`${any} || ${one}`)
  if (types.includes('number') || types.includes('integer')) noteInfinite(cxt)
  cxt.fail(_`!(${fits})`)
}

const noteInfinite = (cxt: KeywordCxt): void => {
  const { data, gen } = cxt
  gen.code(_`if (${data} === Infinity || ${data} === -Infinity) ${stepsOf(cxt)}.isRounded = true`)
}

const bounds = [
  [ownKeywords.minimum, _`>=`],
  [ownKeywords.maximum, _`<=`],
  [ownKeywords.exclusiveMinimum, _`>`],
  [ownKeywords.exclusiveMaximum, _`<`],
] as const

/** JavaScript compares a bigint with a double by their values. */
const checkBound = (cxt: KeywordCxt, operator: Code): void => {
  const { data } = cxt
  const bound = cxt.schema as ExactNumber
  // A double beyond 2^53 compares correctly with any bound within.
  if (typeof bound === 'bigint' || Math.abs(bound) > Number.MAX_SAFE_INTEGER) noteRounded(cxt)
  const value = typeof bound === 'number' ? _`${bound}` : cxt.gen.scopeValue('obj', { ref: bound })
  cxt.fail(_`(typeof ${data} == "number" || typeof ${data} == "bigint") && !(${data} ${operator} ${value})`)
}

const checkMultiple = (cxt: KeywordCxt): void => {
  const { data, gen } = cxt
  noteRounded(cxt)
  const isMultiple = gen.scopeValue('func', { ref: isMultipleOf })
  const of = gen.scopeValue('obj', { ref: cxt.schema as ExactNumber })
  cxt.fail(_`(typeof ${data} == "number" || typeof ${data} == "bigint") && !${isMultiple}(${data}, ${of})`)
}

const noteRounded = (cxt: KeywordCxt): void => {
  const { data, gen } = cxt
  const max = Number.MAX_SAFE_INTEGER
  gen.code(
    _`if (typeof ${data} == "number" && (${data} > ${max} || ${data} < ${-max})) ${stepsOf(cxt)}.isRounded = true`,
  )
}

const createIsOneOf = (values: readonly unknown[]): ((data: unknown) => boolean) => {
  const plain = new Set(values.filter(isPlain))
  const keys = new Set(values.filter(value => !isPlain(value)).map(value => toValueKey(value, () => {})))
  return data => {
    if (isPlain(data)) return plain.has(data)
    if (keys.size === 0) return false
    return keys.has(toValueKey(data, takeForValue))
  }
}

/** What a set finds by itself: equal values are the same to it, -0 and 0 too. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value === null ||
  (typeof value === 'number' && (Number.isSafeInteger(value) || !isWhole(value)))

/** A text is made of it. */
const valueSteps = 40

const takeForValue = (value: unknown): void => {
  steps.take(valueSteps)
  if (typeof value === 'string') steps.takeFor(value)
  else if (mayBeRounded(value)) steps.isRounded = true
}

const hasNoTwins = (list: readonly unknown[]): boolean =>
  new Set(list.map(one => toValueKey(one, takeForValue))).size === list.length
