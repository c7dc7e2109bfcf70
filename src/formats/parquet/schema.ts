/**
 * The schema of a Parquet file as a tree of what its values are to people: structs, lists, maps and leaves, by the
 * rules of the format (LogicalTypes.md), those for older writers included. Levels:
 *
 *     definition   how many of the optional and repeated elements on the way to a value are there
 *     repetition   at which of the repeated elements a value begins again; 0 begins a row
 */
import { FormatError } from '../../errors.ts'
import { toUniqueNames } from '../unique-names.ts'
import { type LogicalType, type SchemaElement, toLogicalType } from './schema-element.ts'

type Common = {
  /** Unlike those of its siblings. */
  readonly name: string
  /** What table formats know it by, whatever its name. */
  readonly fieldId: number | undefined
  /** From this definition level on it is not null. */
  readonly definition: number
  readonly isOptional: boolean
  /** The leaves below by their number in the file, from this one, */
  readonly first: number
  /** before that one: at least one of them. */
  readonly end: number
}

export type Leaf = {
  /** Its place among the chunks of each row group. */
  readonly index: number
  readonly element: SchemaElement
  readonly logical: LogicalType | undefined
  readonly maxDefinition: number
  readonly maxRepetition: number
}

/** Something repeated: from `present` on there is an element, and `repetition` begins each but the first. */
type Repeated = { readonly present: number; readonly repetition: number }

export type Node =
  | (Common & { readonly kind: 'leaf'; readonly leaf: Leaf })
  | (Common & { readonly kind: 'struct' | 'variant'; readonly children: readonly Node[] })
  | (Common & Repeated & { readonly kind: 'list'; readonly item: Node })
  | (Common & Repeated & { readonly kind: 'map'; readonly key: Node; readonly value: Node })

export type ParquetSchema = {
  /** In the order of the file; what has no leaves, and so no values, is left out. */
  readonly columns: readonly Node[]
  readonly leaves: readonly Leaf[]
}

/** Deepest nesting of groups. */
const maxNesting = 500

type Element = {
  readonly element: SchemaElement
  readonly logical: LogicalType | undefined
  readonly children: readonly Element[]
}

/** @throws FormatError elements that make no tree */
export const toSchema = (elements: readonly SchemaElement[]): ParquetSchema => {
  const root = toTree(elements)
  const leaves: Leaf[] = []
  // Whatever the root says of its own repetition: it is the file.
  const scope: Scope = { definition: 0, repetition: 0, leaves }
  return { columns: toChildren(root, scope), leaves }
}

/** Elements with their children. */
const toTree = (elements: readonly SchemaElement[]): Element => {
  let at = 0
  const take = (nesting: number): Element => {
    const element = elements[at]
    if (element === undefined) throw fault(`expected ${at + 1} or more elements of a schema, found ${at}`)
    if (nesting > maxNesting) throw fault(`expected at most ${maxNesting} levels of a schema`)
    at += 1
    const children: Element[] = []
    const count = element.type === undefined ? (element.children ?? 0) : 0
    for (let left = count; left > 0; left--) children.push(take(nesting + 1))
    return { element, logical: toLogicalType(element), children }
  }
  return take(0)
}

/** Levels of an element, and the leaves that were found before it. */
type Scope = {
  readonly definition: number
  readonly repetition: number
  readonly leaves: Leaf[]
}

const toChildren = ({ children }: Element, scope: Scope): readonly Node[] => {
  const nodes = children.flatMap(child => toNode(child, scope) ?? [])
  const names = toUniqueNames(nodes.map(({ name }) => name))
  return nodes.map((node, i) => ({ ...node, name: names[i] ?? node.name }))
}

const toNode = (element: Element, outer: Scope): Node | undefined => {
  const { repetition } = element.element
  if (repetition === 'repeated') return toBareList(element, outer)
  const isOptional = repetition === 'optional'
  return toOnce(element, isOptional, { ...outer, definition: outer.definition + (isOptional ? 1 : 0) })
}

/** A repeated element that no LIST or MAP is around: a list that is always there. */
const toBareList = (element: Element, outer: Scope): Node | undefined => {
  const inner = { ...outer, definition: outer.definition + 1, repetition: outer.repetition + 1 }
  const item = toOnce(element, false, inner)
  return item && toListNode(element.element, outer.definition, false, inner, item)
}

const toListNode = (
  { name, fieldId }: SchemaElement,
  definition: number,
  isOptional: boolean,
  inner: Scope,
  item: Node,
): Node => ({
  kind: 'list',
  name,
  fieldId,
  definition,
  isOptional,
  first: item.first,
  end: item.end,
  present: inner.definition,
  repetition: inner.repetition,
  item,
})

/** An element without regard to how often it is there. @param scope its levels */
const toOnce = (element: Element, isOptional: boolean, scope: Scope): Node | undefined => {
  const { element: own, logical, children } = element
  const { definition } = scope
  if (own.type !== undefined) return toLeaf(element, isOptional, scope)
  const [child] = children
  if (children.length === 1 && child?.element.repetition === 'repeated') {
    if (logical?.kind === 'LIST') return toList(own, child, isOptional, scope)
    if (logical?.kind === 'MAP') return toMap(own, child, isOptional, scope)
  }
  const kind = logical?.kind === 'VARIANT' ? 'variant' : 'struct'
  return toGroup(kind, own, definition, isOptional, toChildren(element, scope))
}

const toLeaf = (
  { element, logical }: Element,
  isOptional: boolean,
  { definition, repetition, leaves }: Scope,
): Node => {
  const leaf: Leaf = {
    index: leaves.length,
    element,
    logical,
    maxDefinition: definition,
    maxRepetition: repetition,
  }
  leaves.push(leaf)
  const { index } = leaf
  const { name, fieldId } = element
  return { kind: 'leaf', name, fieldId, definition, isOptional, first: index, end: index + 1, leaf }
}

/** @param repeated the one child of a LIST */
const toList = (own: SchemaElement, repeated: Element, isOptional: boolean, outer: Scope): Node | undefined => {
  const inner = { ...outer, definition: outer.definition + 1, repetition: outer.repetition + 1 }
  const [only] = repeated.children
  const item = only === undefined || isItem(own.name, repeated) ? toOnce(repeated, false, inner) : toNode(only, inner)
  return item && toListNode(own, outer.definition, isOptional, inner, item)
}

/** Whether the repeated child of a list is its item, and not what is around each item. */
const isItem = (list: string, { element, logical, children }: Element): boolean => {
  const [only, ...more] = children
  if (only === undefined || more.length > 0 || only.element.repetition === 'repeated') return true
  if (logical?.kind === 'LIST' || logical?.kind === 'MAP') return true
  return element.name === 'array' || element.name === `${list}_tuple`
}

/** @param repeated the one child of a MAP: a key and, unless the map is a set, a value */
const toMap = (own: SchemaElement, repeated: Element, isOptional: boolean, outer: Scope): Node | undefined => {
  const inner = { ...outer, definition: outer.definition + 1, repetition: outer.repetition + 1 }
  const children = toChildren(repeated, inner)
  const [key, value, ...more] = children
  if (key === undefined || more.length > 0) {
    // Not a map as the format has it: what is there is shown.
    const item = toGroup('struct', repeated.element, inner.definition, false, children)
    return item && toListNode(own, outer.definition, isOptional, inner, item)
  }
  if (value === undefined) return toListNode(own, outer.definition, isOptional, inner, key)
  const { definition } = outer
  const { definition: present, repetition } = inner
  return {
    kind: 'map',
    name: own.name,
    fieldId: own.fieldId,
    definition,
    isOptional,
    first: key.first,
    end: value.end,
    present,
    repetition,
    key,
    value,
  }
}

/** Undefined for a group without a leaf. */
const toGroup = (
  kind: 'struct' | 'variant',
  { name, fieldId }: SchemaElement,
  definition: number,
  isOptional: boolean,
  children: readonly Node[],
): Node | undefined => {
  const [first, last] = [children[0], children.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { kind, name, fieldId, definition, isOptional, first: first.first, end: last.end, children }
}

const fault = (message: string): FormatError => new FormatError('parquet', 0, message)
