import { isObject, toName } from '../formats/members.ts'
import type { Value } from '../formats/number.ts'
import { isRecord } from '../is-record.ts'
import { compileLinearPattern } from '../text/linear-pattern.ts'
import { nearest } from '../text/nearest.ts'
import { setOwn, toJudged } from './judged-value.ts'
import { ownKeywords, type StepCost, stepsKeyword } from './keywords.ts'
import type { SchemaFile, SchemaPath } from './read-schema.ts'
import { checkedFormats } from './string-formats.ts'
import {
  closingKeywords,
  listKeywords,
  mapKeywords,
  notes,
  ownMembers,
  refusedKeywords,
  schemaKeywords,
  sizedKeywords,
  valueKeywords,
} from './vocabulary.ts'

/** The keyword that says what becomes of events of the type that do not fit. */
export const modeKeyword = 'x-sluice-validation'

/** A reference to a schema, with its place. */
export type SchemaReference = { readonly path: SchemaPath; readonly file: string; readonly fragment: string }

/** A file as `ajv` takes it. */
export type AjvForm = {
  readonly source: SchemaFile
  readonly schema: unknown
  readonly references: readonly SchemaReference[]
  /** The places of schemas, as JSON pointers, and their anchors. */
  readonly places: ReadonlySet<string>
  readonly anchors: ReadonlySet<string>
  /** Whether some schema refuses members that it does not know. */
  readonly isClosed: boolean
}

/** The id of a file among the schemas of one `ajv`. */
export const toSchemaId = (file: string): string => `contract:/${encodeURIComponent(file)}`

/** What it costs besides to try a schema: where it fails, an error is made, and perhaps thrown away. Members of large objects cost as much to find. */
const tryCost = 20

/** What does not count as a subschema with a cost of its own. */
const leafCost = 8

/**
 * Puts a schema into `ajv`'s hands: what is a note is left out, references lead to files, what `ajv` has no right answer
 * for becomes a keyword of our own, and each part counts what it costs.
 * @throws SchemaError a keyword that is not known, or a reference that leads out of the directory
 */
export const toAjvForm = (source: SchemaFile): AjvForm => {
  const rewriting = new Rewriting(source)
  const schema = withOwnMembers(rewriting.schema(source.root, [], true).schema)
  const { references, places, anchors, isClosed } = rewriting
  return { source, schema, references, places, anchors, isClosed }
}

const withOwnMembers = (schema: unknown): unknown => {
  if (!isRecord(schema)) return schema
  const allowed = Object.fromEntries(ownMembers.map(name => [name, true]))
  return { ...schema, properties: { ...allowed, ...(isRecord(schema['properties']) ? schema['properties'] : {}) } }
}

type Rewritten = {
  readonly schema: unknown /** What the schema around it pays for it. */
  readonly cost: number
}

class Rewriting {
  readonly references: SchemaReference[] = []
  readonly places = new Set<string>()
  readonly anchors = new Set<string>()
  isClosed = false
  readonly #source: SchemaFile

  constructor(source: SchemaFile) {
    this.#source = source
  }

  /** @param isEach it is used for each of many, or called by reference */
  schema(given: Value, path: SchemaPath, isEach: boolean): Rewritten {
    this.places.add(toPointer(path))
    if (typeof given === 'boolean') return { schema: given, cost: 1 }
    if (!isObject(given)) throw this.#source.fault(path, 'expected a schema: an object, true or false')
    const made: Record<string, unknown> = {}
    let cost = isEach ? tryCost : 1
    let hasParts = isEach
    for (const key in given) {
      const name = toName(key)
      const value = given[key] ?? null
      cost += 1 + lengthOf(value)
      const at = [...path, name]
      const parts = this.#parts(name, value, at)
      if (parts !== undefined) {
        hasParts = true
        cost += parts.cost
        made[name] = parts.schema
      } else this.#keyword(made, name, value, at)
      if (closingKeywords.has(name)) this.isClosed = true
    }
    const isSized = Object.keys(given).some(name => sizedKeywords.has(name))
    if (!hasParts && !isSized && cost <= leafCost && !('$ref' in made)) return { schema: made, cost }
    return { schema: { [stepsKeyword]: { cost, isSized } satisfies StepCost, ...made }, cost: 1 }
  }

  /** A keyword with schemas in it; undefined for all others. */
  #parts(name: string, value: Value, path: SchemaPath): Rewritten | undefined {
    const one = schemaKeywords.get(name)
    if (one !== undefined) {
      const { schema, cost } = this.schema(value, path, one === 'each')
      return { schema, cost: cost + tryCost }
    }
    if (listKeywords.has(name)) {
      if (!Array.isArray(value)) throw this.#source.fault(path, `${name}: expected a list of schemas`)
      const list = value.map((part, index) => this.schema(part, [...path, index], false))
      const tries = name === 'anyOf' || name === 'oneOf' ? list.length * tryCost : 0
      return { schema: list.map(({ schema }) => schema), cost: costOf(list) + tries }
    }
    const each = mapKeywords.get(name)
    if (each === undefined) return undefined
    if (!isObject(value)) throw this.#source.fault(path, `${name}: expected schemas by name`)
    const map: Record<string, unknown> = {}
    const parts: Rewritten[] = []
    for (const key in value) {
      if (name === 'patternProperties') this.#pattern(toName(key), [...path, toName(key)])
      const part = this.schema(value[key] ?? null, [...path, toName(key)], each === 'each')
      parts.push(part)
      setOwn(map, toName(key), part.schema)
    }
    return { schema: map, cost: name.startsWith('$') || name === 'definitions' ? 0 : costOf(parts) }
  }

  #keyword(made: Record<string, unknown>, name: string, value: Value, path: SchemaPath): void {
    if (name === '$ref') made[name] = this.#reference(value, path)
    else if (name === '$anchor') {
      this.anchors.add(toPlainText(value))
      made[name] = value
    } else if (name === '$id' || name === '$schema') this.#identity(name, value, path)
    else if (name === 'format') {
      if (checkedFormats.has(toPlainText(value))) made[name] = value
    } else if (isOwn(name)) addOwn(made, name, value)
    else if (valueKeywords.has(name)) {
      if (name === 'pattern') this.#pattern(toPlainText(value), path)
      made[name] = toJudged(value)
    } else if (!notes.has(name) && !isExtension(name, path)) throw this.#source.fault(path, describeUnknown(name))
  }

  #pattern(pattern: string, path: SchemaPath): void {
    try {
      compileLinearPattern(pattern)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      const shown = JSON.stringify(pattern.slice(0, 200))
      throw this.#source.fault(path, `${shown} is not a regular expression: ${error.message}`)
    }
  }

  #identity(name: string, value: Value, path: SchemaPath): void {
    if (path.length > 1) throw this.#source.fault(path, `${name} stands at the top of a file only`)
    if (name === '$schema' && !/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(toPlainText(value)))
      throw this.#source.fault(path, `${toPlainText(value).slice(0, 200)} is not taken: expected draft 2020-12`)
  }

  #reference(value: Value, path: SchemaPath): string {
    const [, name = '', fragment = ''] = /^([^#]*)(?:#(.*))?$/s.exec(toPlainText(value)) ?? []
    const file = name === '' ? this.#source.file : decode(name.replace(/^\.\//, ''))
    if (file === undefined || !fileForm.test(file)) {
      const why = `$ref ${JSON.stringify(toPlainText(value).slice(0, 200))} leads out of the directory; expected "#/…", or a file beside this one, "name.json" or "name.json#/…"`
      throw this.#source.fault(path, why)
    }
    this.references.push({ path, file, fragment: decode(fragment) ?? fragment })
    return `${toSchemaId(file)}#${fragment}`
  }
}

/** A file of the same directory: no scheme, no other directory. */
const fileForm = /^(?!\.)[^/\\:\0]{1,255}\.json$/

/** What has been looked at by the meta-schema is a text. */
const toPlainText = (value: Value): string => (typeof value === 'string' ? value : '')

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** What a list, or lists by name, cost to go through. */
const lengthOf = (value: Value): number => {
  if (Array.isArray(value)) return value.length
  return isObject(value)
    ? Object.values(value).reduce<number>((sum, one) => sum + (Array.isArray(one) ? one.length : 0), 0)
    : 0
}

const costOf = (parts: readonly Rewritten[]): number => parts.reduce((sum, { cost }) => sum + cost, 0)

/** As in `$ref` after its `#`, without the escapes of URLs. */
const toPointer = (path: SchemaPath): string =>
  path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const isOwn = (name: string): name is keyof typeof ownKeywords => Object.hasOwn(ownKeywords, name)

const addOwn = (made: Record<string, unknown>, name: keyof typeof ownKeywords, value: Value): void => {
  const judged = toJudged(value)
  if (name === 'uniqueItems' && value !== true) return
  // A list of types differs from a type by what it is, and the value of const from those of enum by the keyword.
  made[ownKeywords[name]] = (name === 'type' && !Array.isArray(judged)) || name === 'const' ? [judged] : judged
}

const isExtension = (name: string, path: SchemaPath): boolean =>
  name.startsWith('x-') && (name !== modeKeyword || path.length === 1)

const describeUnknown = (name: string): string => {
  if (name === modeKeyword) return `${modeKeyword} stands at the top of a file only`
  const refused = refusedKeywords.get(name)
  if (refused !== undefined) return `${name} ${refused}`
  const near = nearest(name, knownNames)
  return `${JSON.stringify(name.slice(0, 64))} is no keyword of JSON Schema${near === undefined ? '; your own begin with "x-"' : `; did you mean ${near}?`}`
}

const knownNames: readonly string[] = [
  ...schemaKeywords.keys(),
  ...listKeywords,
  ...mapKeywords.keys(),
  ...valueKeywords,
  ...notes,
  ...Object.keys(ownKeywords),
  '$ref',
  '$anchor',
  '$id',
  '$schema',
  'format',
]
