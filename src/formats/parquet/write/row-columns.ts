import type { ColumnValue } from '../column-value.ts'
import { isList, isStruct, type Kind, type ScalarKind, type StructKind } from '../kind.ts'
import type { LeafColumn, LeafLevels } from './leaf-column.ts'
import type { LeafPool, TimesAs } from './leaf-pool.ts'

/** A leaf of the schema, and its place in it. */
export type GroupLeaf = { readonly path: readonly string[]; readonly kind: ScalarKind; readonly column: LeafColumn }

/** A column, or a part of a nested one: what is below it, and how many of its definition levels mean that it is there. */
type Node = { readonly definition: number; readonly leaves: readonly LeafColumn[] } & (
  | { readonly leaf: LeafColumn }
  | { readonly members: readonly (readonly [name: string, node: Node])[] }
  | { readonly item: Node; readonly repetition: number }
)

/** The columns of a row group, filled row by row, a column at a time. */
export class RowColumns {
  readonly leaves: readonly GroupLeaf[]
  readonly #nodes: readonly Node[]
  readonly #times: TimesAs
  rows = 0

  /** @param pool has the memory of its leaves until they are released */
  constructor({ struct }: StructKind, pool: LeafPool, times: TimesAs = 'millis') {
    const tree: Tree = { pool, times, leaves: [] }
    this.#times = times
    const levels = { definition: 0, repetition: 0 }
    this.#nodes = Array.from(struct, ([name, kind]) => toNode(kind, [name], levels, tree))
    this.leaves = tree.leaves
  }

  /** The only leaf of a column that is one, or a list of one. */
  leafOf(column: number): LeafColumn | undefined {
    const node = this.#nodes[column]
    if (node === undefined || 'members' in node) return undefined
    return 'leaf' in node ? node.leaf : 'leaf' in node.item ? node.item.leaf : undefined
  }

  /** Sets a column of the row that is being filled, once. */
  set(column: number, value: ColumnValue): void {
    const node = this.#nodes[column]
    if (node === undefined) throw new RangeError(`There is no column ${column}`)
    for (const leaf of node.leaves) leaf.fillUpTo(this.rows)
    shred(node, value, 0)
  }

  /** Columns that were not set are null. */
  endRow(): void {
    this.rows++
  }

  /** To be called before it is written. */
  complete(): void {
    for (const { column } of this.leaves) column.fillUpTo(this.rows)
  }

  /** Its memory may be used again. */
  release(pool: LeafPool): void {
    for (const { kind, column } of this.leaves) pool.give(kind, column, this.#times)
  }
}

type Tree = { readonly pool: LeafPool; readonly times: TimesAs; readonly leaves: GroupLeaf[] }

/** Every part may be null: a level says of each whether it is. */
const toNode = (kind: Kind, path: readonly string[], outer: LeafLevels, tree: Tree): Node => {
  const first = tree.leaves.length
  const definition = outer.definition + 1
  const below = (): LeafColumn[] => tree.leaves.slice(first).map(({ column }) => column)
  if (isStruct(kind)) {
    const levels = { ...outer, definition }
    const members = Array.from(kind.struct, ([name, member]) => {
      return [name, toNode(member, [...path, name], levels, tree)] as const
    })
    return { definition, members, leaves: below() }
  }
  if (isList(kind)) {
    const levels = { definition: definition + 1, repetition: outer.repetition + 1 }
    const item = toNode(kind.list, [...path, 'list', 'element'], levels, tree)
    return { definition, item, repetition: levels.repetition, leaves: below() }
  }
  const leaf = tree.pool.take(kind, tree.times).open({ ...outer, definition })
  tree.leaves.push({ path, kind, column: leaf })
  return { definition, leaf, leaves: [leaf] }
}

/** Puts a value into the leaves below a node, each with its levels (Dremel). */
const shred = (node: Node, value: ColumnValue, repetition: number): void => {
  if (value === null) {
    for (const leaf of node.leaves) leaf.level(repetition, node.definition - 1)
  } else if ('leaf' in node) {
    if (typeof value !== 'object' || value instanceof Uint8Array) node.leaf.add(value, repetition)
  } else if ('item' in node) shredList(node, value as ColumnValue[], repetition)
  else {
    const members = value as { readonly [name: string]: ColumnValue }
    for (const [name, member] of node.members) shred(member, members[name] ?? null, repetition)
  }
}

const shredList = (node: Extract<Node, { item: Node }>, values: readonly ColumnValue[], repetition: number): void => {
  if (values.length === 0) for (const leaf of node.leaves) leaf.level(repetition, node.definition)
  for (const [i, value] of values.entries()) shred(node.item, value, i === 0 ? repetition : node.repetition)
}
