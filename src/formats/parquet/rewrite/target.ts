/** The columns that a file is written with when rows of other files go into it, and their layout in that file. */
import type { PhysicalType } from '../words.ts'
import { type ElementType, listType, mapType } from '../write/element-types.ts'
import type { WrittenElement } from '../write/footer-writer.ts'

/** What a value means to its table; or, where it stays what it is, whether it has the order of its physical type. */
export type Meaning =
  | 'ordered'
  | 'unordered'
  | 'boolean'
  | 'int'
  | 'long'
  | 'float'
  | 'double'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'string'
  | 'uuid'
  | 'fixed'
  | 'binary'
  | 'decimal'

/** How values of a leaf are written. */
export type TargetType = ElementType & { readonly meaning: Meaning; readonly physical: PhysicalType }

type Head = { readonly id: number; readonly name: string; readonly isRequired: boolean }

/** A column of a table, or a part of a nested one. */
export type TargetColumn = Head &
  (
    | { readonly kind: 'leaf'; readonly type: TargetType }
    | { readonly kind: 'struct'; readonly members: readonly TargetColumn[] }
    | { readonly kind: 'list'; readonly item: TargetColumn }
    | { readonly kind: 'map'; readonly key: TargetColumn; readonly value: TargetColumn }
  )

export type TargetLeaf = {
  readonly index: number
  readonly path: readonly string[]
  readonly type: TargetType
  readonly maxDefinition: number
  readonly maxRepetition: number
}

/** A column with its levels: from `definition` on it is not null, and from `present` on it has an element. */
export type TargetNode = Head & { readonly definition: number } & (
    | { readonly kind: 'leaf'; readonly leaf: TargetLeaf }
    | { readonly kind: 'struct'; readonly members: readonly TargetNode[] }
    | { readonly kind: 'list'; readonly present: number; readonly repetition: number; readonly item: TargetNode }
    | {
        readonly kind: 'map'
        readonly present: number
        readonly repetition: number
        readonly key: TargetNode
        readonly value: TargetNode
      }
  )

export type TargetLayout = {
  readonly nodes: readonly TargetNode[]
  readonly leaves: readonly TargetLeaf[]
  /** Each before its children, the file itself first. */
  readonly elements: readonly WrittenElement[]
}

export const layOut = (columns: readonly TargetColumn[]): TargetLayout => {
  const leaves: TargetLeaf[] = []
  const elements: WrittenElement[] = [{ name: 'event', children: columns.length }]
  const place = { path: [], definition: 0, repetition: 0, leaves, elements }
  return { nodes: columns.map(column => toNode(column, place)), leaves, elements }
}

/** What is around a column, and what was laid out before it. */
type Place = {
  readonly path: readonly string[]
  readonly definition: number
  readonly repetition: number
  readonly leaves: TargetLeaf[]
  readonly elements: WrittenElement[]
}

const toNode = (column: TargetColumn, outer: Place): TargetNode => {
  const { id, name, isRequired } = column
  const definition = outer.definition + (isRequired ? 0 : 1)
  const path = [...outer.path, name]
  const head = { name, repetition: isRequired ? 'required' : 'optional', id } as const
  const node = { id, name, isRequired, definition }
  const inner = { ...outer, path, definition }
  if (column.kind === 'leaf') {
    const { type } = column
    const leaf = { index: outer.leaves.length, path, type, maxDefinition: definition, maxRepetition: outer.repetition }
    outer.leaves.push(leaf)
    outer.elements.push({ ...head, type })
    return { ...node, kind: 'leaf', leaf }
  }
  if (column.kind === 'struct') {
    outer.elements.push({ ...head, children: column.members.length })
    return { ...node, kind: 'struct', members: column.members.map(member => toNode(member, inner)) }
  }
  const [present, repetition] = [definition + 1, outer.repetition + 1]
  const isList = column.kind === 'list'
  const group = isList ? 'list' : 'key_value'
  outer.elements.push(
    { ...head, children: 1, type: isList ? listType : mapType },
    { name: group, repetition: 'repeated', children: isList ? 1 : 2 },
  )
  const element = { ...inner, path: [...path, group], definition: present, repetition }
  if (column.kind === 'list') return { ...node, kind: 'list', present, repetition, item: toNode(column.item, element) }
  const [key, value] = [toNode(column.key, element), toNode(column.value, element)]
  return { ...node, kind: 'map', present, repetition, key, value }
}
