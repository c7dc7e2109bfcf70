import { fromMembers, isObject, toName } from '../formats/members.ts'
import type { Value } from '../formats/number.ts'
import { isWhole } from './exact.ts'
import { toJudged } from './judged-value.ts'
import { stringFormats } from './string-formats.ts'
import { ownMembers } from './vocabulary.ts'

/** A schema inferred from events: it fits all of it, and says no more than that. */
export type Inference = {
  /** Looks at a payload. */
  add(payload: Value): void
  /** Payloads that were looked at. */
  readonly count: number
  /** The schema, as the value of its JSON. */
  schema(title: string): Value
}

/** The most members of one object that count as fields; an object with more of them is a table of its own. */
const maxProperties = 500

/** How deep objects and lists are looked into. */
const maxLevels = 16

/** Begins without anything. */
export const createInference = (): Inference => {
  const shape = new Shape(maxLevels)
  return {
    add: payload => shape.add(isObject(payload) ? withoutOwn(payload) : payload),
    get count() {
      return shape.count
    },
    schema: title =>
      fromMembers([['$schema', 'https://json-schema.org/draft/2020-12/schema'], ['title', title], ...shape.members()]),
  }
}

/** Events have what the server fills in whether it was sent or not. */
const withoutOwn = (payload: { readonly [key: string]: Value }): Value =>
  fromMembers(
    Object.entries(payload)
      .map(([key, value]) => [toName(key), value] as const)
      .filter(([name]) => !ownMembers.includes(name)),
  )

type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/** In the order in which a schema names them. */
const typeOrder: readonly TypeName[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/** What has been at one place. */
class Shape {
  count = 0
  readonly #levels: number
  readonly #types = new Map<TypeName, number>()
  readonly #properties = new Map<string, Shape>()
  #items: Shape | undefined
  #formats = Object.keys(stringFormats)

  constructor(levels: number) {
    this.#levels = levels
  }

  add(value: Value): void {
    this.count++
    const type = typeOf(value)
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1)
    if (typeof value === 'string') this.#formats = this.#formats.filter(name => stringFormats[name]?.(value))
    if (this.#levels === 0) return
    if (Array.isArray(value)) {
      this.#items ??= new Shape(this.#levels - 1)
      for (const one of value) this.#items.add(one)
    } else if (isObject(value)) for (const key in value) this.#property(toName(key)).add(value[key] ?? null)
  }

  /** The members of the schema of this place. */
  members(): [name: string, value: Value][] {
    const types = new Set(this.#types.keys())
    if (types.has('number')) types.delete('integer')
    const names = typeOrder.filter(type => types.has(type))
    const [only = ''] = names
    const members: [string, Value][] = names.length === 0 ? [] : [['type', names.length === 1 ? only : names]]
    const [format] = this.#formats
    if (types.has('string') && format !== undefined) members.push(['format', format])
    if (this.#items && this.#items.count > 0) members.push(['items', fromMembers(this.#items.members())])
    if (this.#properties.size > 0 && this.#properties.size <= maxProperties) members.push(...this.#fields())
    return members
  }

  #fields(): [name: string, value: Value][] {
    const fields = [...this.#properties]
    const objects = this.#types.get('object')
    const required = fields.filter(([, { count }]) => count === objects).map(([name]) => name)
    const properties = fromMembers(fields.map(([name, shape]) => [name, fromMembers(shape.members())]))
    return [['properties', properties], ...(required.length === 0 ? [] : [['required', required] as [string, Value]])]
  }

  #property(name: string): Shape {
    const known = this.#properties.get(name)
    if (known !== undefined) return known
    const shape = new Shape(this.#levels - 1)
    // One beyond them says that there are too many.
    if (this.#properties.size <= maxProperties) this.#properties.set(name, shape)
    return shape
  }
}

const typeOf = (value: Value): TypeName => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const judged = toJudged(value)
  if (typeof judged === 'number' || typeof judged === 'bigint') return isWhole(judged) ? 'integer' : 'number'
  if (typeof judged === 'string') return 'string'
  return typeof judged === 'boolean' ? 'boolean' : 'object'
}
