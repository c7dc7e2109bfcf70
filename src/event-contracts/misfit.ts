import type { ErrorObject } from 'ajv/dist/2020.js'
import { isRecord } from '../is-record.ts'

/** Why a payload does not fit, in words: the place as a JSON pointer, what was found there, and what was expected. */
export const describeMisfit = (errors: readonly ErrorObject[]): string => {
  const error = choose(errors)
  if (error === undefined) return 'the payload does not fit'
  const { path, found } = toPlace(error)
  return `${path === '' ? 'the payload' : shorten(path, maxPathLength)} ${found}; expected ${toExpected(error)}`
}

const maxPathLength = 200
const maxWordLength = 64

/** Keywords that fail because schemas in them do, or do not: their errors come first. */
const composite: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'contains', 'not'])

/** The outermost choice that failed; where a branch of it got further into the payload than the others, why that one did. */
const choose = (errors: readonly ErrorObject[]): ErrorObject | undefined => {
  const choice = errors.findLast(({ keyword }) => composite.has(keyword))
  if (choice === undefined) return errors[0]
  const isInside = (error: ErrorObject): boolean =>
    choice.keyword !== 'not' && choice.keyword !== 'contains' && toPlace(error).path.length > choice.instancePath.length
  return errors.find(isInside) ?? choice
}

const toPlace = (error: ErrorObject): { readonly path: string; readonly found: string } => {
  const { keyword, instancePath: path, params, data } = error
  const member = [params['missingProperty'], params['additionalProperty'], params['unevaluatedProperty']].find(isText)
  if (error.propertyName !== undefined)
    return { path: path + toStep(error.propertyName), found: 'has a name that does not fit' }
  if (member === undefined) return { path, found: `is ${toFound(data)}` }
  const isMissing = keyword === 'required' || keyword === 'dependentRequired'
  return { path: path + toStep(member), found: isMissing ? 'is missing' : 'is not a field of its schema' }
}

const isText = (value: unknown): value is string => typeof value === 'string'

const toStep = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

const toFound = (data: unknown): string => {
  if (typeof data === 'string') return JSON.stringify(shorten(data, maxWordLength))
  if (typeof data === 'number' || typeof data === 'bigint') return `the number ${shorten(String(data), maxWordLength)}`
  if (data === null || typeof data === 'boolean') return String(data)
  if (Array.isArray(data)) return `a list of ${data.length}`
  return `an object of ${Object.keys(isRecord(data) ? data : {}).length} fields`
}

const shorten = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text)

const toExpected = ({ keyword, schema, params }: ErrorObject): string => {
  const describe = Object.hasOwn(words, keyword) ? words[keyword] : undefined
  return describe ? describe(schema, params) : `what ${keyword} asks for`
}

const typeWords: Readonly<Record<string, string>> = {
  null: 'null',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  array: 'a list',
  object: 'an object',
}

/** Values of a schema in a message. */
const maxListed = 5

const toShown = (value: unknown): string =>
  shorten(
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)),
    maxWordLength,
  )

const toNumberText = (value: unknown): string => (typeof value === 'bigint' ? value.toString() : String(value))

const toChoice = (values: unknown): string => {
  const list: readonly unknown[] = Array.isArray(values) ? values : []
  const more = list.length > maxListed ? ` or ${list.length - maxListed} others` : ''
  const shown = list.slice(0, maxListed).map(value => (typeof value === 'bigint' ? value.toString() : toShown(value)))
  return `${shown.join(', ')}${more}`
}

const isSeveral = (schema: unknown): boolean => Array.isArray(schema) && schema.length > 1

type Words = (schema: unknown, params: Readonly<Record<string, unknown>>) => string

const words: Readonly<Record<string, Words>> = {
  'x-type': schema => (Array.isArray(schema) ? schema : []).map(type => typeWords[String(type)] ?? type).join(' or '),
  'x-minimum': schema => `at least ${toNumberText(schema)}`,
  'x-maximum': schema => `at most ${toNumberText(schema)}`,
  'x-exclusiveMinimum': schema => `more than ${toNumberText(schema)}`,
  'x-exclusiveMaximum': schema => `less than ${toNumberText(schema)}`,
  'x-multipleOf': schema => `a multiple of ${toNumberText(schema)}`,
  'x-enum': schema => `${isSeveral(schema) ? 'one of ' : ''}${toChoice(schema)}`,
  'x-const': toChoice,
  'x-uniqueItems': () => 'no element twice',
  'false schema': () => 'nothing there',
  required: () => 'a value, for it is required',
  dependentRequired: (_, { property }) => `a value, for ${toShown(property)} is there`,
  additionalProperties: () => 'fields of the schema only',
  unevaluatedProperties: () => 'fields of the schema only',
  unevaluatedItems: (_, { len }) => `at most ${toNumberText(len)} elements`,
  items: (_, { limit }) => `at most ${toNumberText(limit)} elements`,
  minLength: schema => `at least ${toNumberText(schema)} characters`,
  maxLength: schema => `at most ${toNumberText(schema)} characters`,
  minItems: schema => `at least ${toNumberText(schema)} elements`,
  maxItems: schema => `at most ${toNumberText(schema)} elements`,
  minProperties: schema => `at least ${toNumberText(schema)} fields`,
  maxProperties: schema => `at most ${toNumberText(schema)} fields`,
  contains: (_, { minContains, maxContains }) =>
    `${toNumberText(minContains)}${maxContains === undefined ? ' or more' : ` to ${toNumberText(maxContains)}`} elements that fit contains`,
  pattern: (_, { pattern }) => `the pattern ${toShown(pattern)}`,
  format: (_, { format }) => `the format ${toNumberText(format)}`,
  not: () => 'what does not fit not',
  anyOf: schema => `one of the ${Array.isArray(schema) ? schema.length : 0} forms of anyOf`,
  oneOf: (schema, { passingSchemas }) =>
    `exactly one of the ${Array.isArray(schema) ? schema.length : 0} forms of oneOf, and ${passingSchemas === null ? 'none fits' : 'several fit'}`,
}
