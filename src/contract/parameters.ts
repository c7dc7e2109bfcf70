import { SluiceError } from '../errors.ts'
import type { Operation, Parameter } from './contract.ts'
import { describeSchema } from './describe.ts'
import type { Schema } from './document.ts'
import type { Lookup, NameRule } from './query.ts'

/** Where the parameters of a request are, by the `in` of OpenAPI; names that are read in any case are asked for in lower case. */
export type ParameterSources = Readonly<Record<Parameter['in'], Lookup>> & {
  /** All values of a parameter of the query, in their order. */
  readonly repeated: (name: string) => readonly string[]
}

/** Reads and checks the parameters of one operation. */
export type ParameterReader = (sources: ParameterSources) => Readonly<Record<string, unknown>>

/** How much of a refused value a message repeats, in characters. */
const maxShownChars = 80

/**
 * Prepares the reading of an operation's parameters: text is coerced by the declared type, the validator judges it,
 * defaults fill in. An absent parameter without a default has no key. Of a parameter given twice the first counts,
 * unless it is an array, which has what is not empty of all of them.
 *
 * Coercion is strict: integers have decimal digits and survive a double exactly, booleans are `true` or `false` in any
 * case. A value that cannot be coerced is refused, never read as zero or false. Costs about 0.2 µs per parameter given.
 *
 * The reader throws SluiceError `bad-parameter`, which names the parameter, the expected and the actual value.
 */
export const createParameterReader = ({ parameters, parameterNames }: Operation): ParameterReader => {
  const steps = parameters.map(parameter => createStep(parameter, parameterNames))
  return sources => {
    const values: Record<string, unknown> = {}
    for (const { name, place, key, read, readList } of steps) {
      const value = readList ? readList(sources.repeated(key)) : read(sources[place](key))
      if (value !== undefined) values[name] = value
    }
    return values
  }
}

type Step = {
  readonly name: string
  readonly place: Parameter['in']
  readonly key: string
  readonly read: (text: string | undefined) => unknown
  /** Of an array in the query. */
  readonly readList?: (texts: readonly string[]) => unknown
}

const createStep = (parameter: Parameter, rule: NameRule): Step => {
  const { name, required, allowEmptyValue, schema, validator } = parameter
  const { in: place } = parameter
  const isAnyCase = place === 'header' || (place === 'query' && rule === 'any-case')
  const key = isAnyCase ? name.toLowerCase() : name
  const coerce = createCoercion(schema)
  // A word in any case, as old servers read it, may be blank as well.
  const isFolded = schema['x-sluice-ignore-case'] === true
  const { default: fallback, 'x-sluice-absent': absent, 'x-sluice-code': code = 'bad-parameter' } = schema
  const label = `${place === 'header' ? 'Header' : 'Parameter'} "${name}"`
  const expected = describeSchema(schema)
  // A path may have the key of a sender in it.
  const isSecret = place === 'path' || schema.format === 'password'
  const toGot = (text: string): string => (isSecret ? '' : `, got ${toShown(text)}`)
  const read = (text: string | undefined): unknown => {
    if (
      text === undefined ||
      text === absent ||
      (allowEmptyValue && (text === '' || (isFolded && text.trim() === '')))
    ) {
      if (required) throw new SluiceError('bad-parameter', `${label} is missing: expected ${expected}`)
      return fallback
    }
    const value = coerce(text)
    if (value === undefined || !validator.safeParse(value).success) {
      throw new SluiceError(text === '' ? 'bad-parameter' : code, `${label}: expected ${expected}${toGot(text)}`)
    }
    return value
  }
  if (schema.type === 'array' && place === 'query') {
    const readList = (texts: readonly string[]): unknown => {
      const values = texts.filter(text => text !== '')
      if (values.length === 0) return read(undefined)
      if (validator.safeParse(values).success) return values
      throw new SluiceError(code, `${label}: expected ${expected}${toGot(values.join('&'))}`)
    }
    return { name, place, key, read, readList }
  }
  return { name, place, key, read }
}

/** Returns undefined for text that is not a value of the type. */
const createCoercion = (schema: Schema): ((text: string) => unknown) => {
  switch (schema.type) {
    case 'integer':
      return toInteger
    case 'number':
      return text => (/^-?\d{1,20}(\.\d{1,20})?$/.test(text) ? Number(text) : undefined)
    case 'boolean':
      return toBoolean
    default:
      return schema['x-sluice-ignore-case'] === true ? createFolding(schema.enum ?? []) : text => text
  }
}

const toInteger = (text: string): number | undefined => {
  if (!/^-?\d{1,16}$/.test(text)) return undefined
  const value = Number(text) + 0 // never -0
  return Number.isSafeInteger(value) ? value : undefined
}

const toBoolean = (text: string): boolean | undefined => {
  if (text.length > 5) return undefined
  const folded = text.toLowerCase()
  return folded === 'true' ? true : folded === 'false' ? false : undefined
}

/** Gives the spelling of the contract, whatever the case of the value sent. */
const createFolding = (choices: readonly string[]): ((text: string) => unknown) => {
  const byFolded = new Map(choices.map(choice => [choice.toUpperCase(), choice]))
  const longest = Math.max(0, ...choices.map(choice => choice.length))
  return text => (text.length > longest ? undefined : byFolded.get(text.toUpperCase()))
}

const toShown = (text: string): string =>
  text.length <= maxShownChars
    ? JSON.stringify(text)
    : `${JSON.stringify(text.slice(0, maxShownChars))}… (${text.length} characters)`
