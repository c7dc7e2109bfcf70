import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { isObject } from '../formats/members.ts'
import { isRecord } from '../is-record.ts'
import { compileLinearPattern } from '../text/linear-pattern.ts'
import { type AjvForm, modeKeyword, toAjvForm, toSchemaId } from './ajv-form.ts'
import {
  type ContractMode,
  type ContractSource,
  type EventContract,
  type PayloadSource,
  usableModes,
} from './contract.ts'
import { toJudged } from './judged-value.ts'
import { addKeywords } from './keywords.ts'
import { describeMisfit } from './misfit.ts'
import { readSchema, type SchemaFile, type SchemaPath } from './read-schema.ts'
import { toContractFields } from './schema-fields.ts'
import { maxSteps, OutOfSteps, slowSteps, steps } from './steps.ts'
import { stringFormats } from './string-formats.ts'
import { inPlaceKeywords, ownMembers } from './vocabulary.ts'

/** Compiles the schema of a type, which keeps those of the texts that it needs. @throws SchemaError that names file, line and reason */
export const compileContract = (source: ContractSource): EventContract => {
  const forms = readForms(source)
  const own = forms.get(source.file)
  if (own === undefined) throw new TypeError(`A contract without its file ${source.file}`)
  checkReferences(forms)
  const validate = compileOrFail(own.source, () => compile(source, forms))
  const fields = toContractFields(own.source, file => forms.get(file)?.source)
  const needed = new Map([...forms.keys()].map(file => [file, source.texts.get(file) ?? '']))
  return new Compiled(
    { source: { ...source, texts: needed }, mode: toMode(own.source), fields },
    validate,
    toHidden(own.source.root, forms),
  )
}

/** All files that the schema needs, from its own on. */
const readForms = ({ file, texts }: ContractSource): ReadonlyMap<string, AjvForm> => {
  const forms = new Map<string, AjvForm>()
  const read = (name: string, text: string): void => {
    const source = readSchema(name, text)
    checkByMetaSchema(source)
    const form = toAjvForm(source)
    forms.set(name, form)
    for (const { path, file: needed } of form.references) {
      if (forms.has(needed)) continue
      const found = texts.get(needed)
      if (found === undefined) throw source.fault(path, `$ref: there is no file ${needed} beside it`)
      read(needed, found)
    }
  }
  read(file, texts.get(file) ?? '')
  return forms
}

let metaSchema: ValidateFunction | undefined

/** Names the first keyword that does not have what the draft wants there. */
const checkByMetaSchema = ({ root, fault }: SchemaFile): void => {
  if (metaSchema === undefined) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
    metaSchema = ajv.getSchema('https://json-schema.org/draft/2020-12/schema')
  }
  if (metaSchema === undefined || metaSchema(toMetaJson(root))) return
  const [error] = metaSchema.errors ?? []
  const path = toPath(error?.instancePath ?? '')
  throw fault(path, `${path.at(-1) ?? 'the schema'} ${error?.message ?? 'is wrong'}${toAllowed(error)}`)
}

const toAllowed = (error: ErrorObject | undefined): string =>
  error?.keyword === 'enum' && Array.isArray(error.params['allowedValues'])
    ? `: ${error.params['allowedValues'].join(', ')}`
    : ''

/** What the draft asks for are doubles. */
const toMetaJson = (root: unknown): unknown =>
  JSON.parse(JSON.stringify(toJudged(root), (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)))

const toPath = (pointer: string): SchemaPath =>
  pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))

const checkReferences = (forms: ReadonlyMap<string, AjvForm>): void => {
  for (const { source, references } of forms.values()) {
    for (const { path, file, fragment } of references) {
      const target = forms.get(file)
      const isThere = fragment === '' || target?.places.has(fragment) === true || target?.anchors.has(fragment) === true
      if (!isThere) throw source.fault(path, `$ref: ${file} has no schema at #${fragment}`)
    }
  }
}

/** What compiles goes down by recursion into what it made, too. */
const compileOrFail = ({ fault }: SchemaFile, run: () => ValidateFunction): ValidateFunction => {
  try {
    return run()
  } catch (error) {
    if (error instanceof RangeError)
      throw fault(
        [],
        'too large to be compiled: a thousand properties in one object can be, a thousand parts in one list',
      )
    throw error
  }
}

const compile = ({ file }: ContractSource, forms: ReadonlyMap<string, AjvForm>): ValidateFunction => {
  const text = [...forms.values()].map(({ schema }) => JSON.stringify(schema, toAnyJson)).join()
  const ajv = new Ajv2020({
    // The meta-schema and our own look at the vocabulary come first.
    strict: false,
    validateSchema: false,
    meta: false,
    logger: false,
    messages: false,
    // So that a large schema is not written out wherever something refers to it.
    inlineRefs: false,
    addUsedSchema: false,
    verbose: true,
    // Costs time, and makes a difference to names that every object of JavaScript has.
    ownProperties: inheritedNames.test(text),
    formats: stringFormats,
    code: { regExp: Object.assign(createPattern, { code: 'createPattern' }) },
  })
  addKeywords(ajv)
  for (const [name, { schema }] of forms) ajv.addSchema({ ...atFile(schema), $id: toSchemaId(name) })
  const own = forms.get(file)
  const validate = ajv.getSchema(toSchemaId(file))
  if (own === undefined || validate === undefined) throw new TypeError(`${file} is not compiled`)
  return validate
}

/** A schema that is a boolean, as an object. */
const atFile = (schema: unknown): AnySchemaObject => {
  if (isRecord(schema)) return schema
  return schema === true ? {} : { not: {} }
}

const toAnyJson = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

const inheritedNames = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})"`)

/** How many characters a pattern of one instruction may look at for a step. */
const charactersForStep = 8

/** `ajv` distinguishes patterns by their text. */
const createPattern = (source: string) => {
  const pattern = compileLinearPattern(source)
  return {
    test: (text: string): boolean => {
      steps.take(1 + Math.ceil((text.length * pattern.instructions) / charactersForStep))
      return pattern.isFoundIn(text)
    },
    toString: () => source,
  }
}

const toMode = ({ root, fault }: SchemaFile): ContractMode | undefined => {
  const given = isObject(root) ? root[modeKeyword] : undefined
  if (given === undefined) return undefined
  const mode = usableModes.find(one => one === given)
  if (mode === undefined) throw fault([modeKeyword], `${modeKeyword}: expected one of ${usableModes.join(', ')}`)
  return mode
}

/**
 * The server's own members, which every event may have whatever its schema says of others. `toAjvForm` has them among the
 * properties of the schema; that is not enough where names are looked at otherwise, or by parts of the schema.
 */
const toHidden = (root: SchemaFile['root'], forms: ReadonlyMap<string, AjvForm>): readonly string[] => {
  if (!isObject(root)) return []
  const names = Object.keys(root)
  const isClosed = forms.values().some(form => form.isClosed)
  const isLooked = names.some(name => nameKeywords.has(name) || (isClosed && inPlaceKeywords.has(name)))
  const { properties = {} } = root
  return isLooked ? ownMembers.filter(name => !isObject(properties) || !Object.hasOwn(properties, name)) : []
}

const nameKeywords: ReadonlySet<string> = new Set(['propertyNames', 'patternProperties', 'maxProperties'])

/** Most more events that were slow than events that were not, before comparing is given up. */
const maxSlow = 50

class Compiled implements EventContract {
  readonly source: ContractSource
  readonly mode: ContractMode | undefined
  readonly fields: EventContract['fields']
  readonly #validate: ValidateFunction
  /** Names of the server's own members that the schema would not take. */
  readonly #hidden: readonly string[]
  #slow = 0

  constructor(
    { source, mode, fields }: Pick<EventContract, 'source' | 'mode' | 'fields'>,
    validate: ValidateFunction,
    hidden: readonly string[],
  ) {
    this.source = source
    this.mode = mode
    this.fields = fields
    this.#validate = validate
    this.#hidden = hidden
  }

  get isTooSlow(): boolean {
    return this.#slow >= maxSlow
  }

  judge(payload: Readonly<Record<string, unknown>>, { isNative, exact }: PayloadSource = {}): string | undefined {
    if (this.isTooSlow) return undefined
    const misfit = this.#compare(isNative === true ? payload : toJudged(payload))
    return exact && steps.isRounded ? this.#compare(toJudged(exact())) : misfit
  }

  #compare(payload: unknown): string | undefined {
    const shown = this.#without(payload)
    steps.begin()
    try {
      return this.#validate(shown) ? undefined : describeMisfit(this.#validate.errors ?? [])
    } catch (error) {
      // Deep references end at the engine's stack.
      if (!(error instanceof OutOfSteps || error instanceof RangeError)) throw error
      steps.left = 0
      return `the payload was not compared: it takes more than ${maxSteps} steps`
    } finally {
      this.#note(maxSteps - steps.left)
    }
  }

  /** Single events may be large: what counts is what most events of the type cost. */
  #note(used: number): void {
    if (used > slowSteps) this.#slow++
    else if (this.#slow > 0 && !this.isTooSlow) this.#slow--
  }

  #without(payload: unknown): unknown {
    const hidden = this.#hidden
    if (hidden.length === 0 || !isRecord(payload) || !hidden.some(name => Object.hasOwn(payload, name))) return payload
    return Object.fromEntries(Object.entries(payload).filter(([name]) => !hidden.includes(name)))
  }
}
