/** Which leaves of a file have the values of a target's leaves, and what their definition levels are there. */
import { FormatError } from '../../../errors.ts'
import type { LeafValues } from '../leaf-values.ts'
import type { Node, ParquetSchema } from '../schema.ts'
import { toRawValues } from './raw-values.ts'
import type { TargetLayout, TargetLeaf, TargetNode } from './target.ts'

/** In place of the definition level of a null that the target must not have. */
export const neverNull = 255

/** Where a leaf of the target is in a file. */
export type LeafSource = {
  /** The leaf of the file. */
  readonly index: number
  /** The target's definition level for each of the file's, or {@link neverNull}. */
  readonly definitions: Uint8Array
  /** Levels that repeat something within an element are left out, where only the element itself is looked at. */
  readonly maxRepetition: number
  /** Absent where the file does not have the leaf, and the levels are those of one beside it. */
  readonly values: LeafValues | undefined
}

export type MatchedColumns = {
  /** To be read. */
  readonly columns: readonly Node[]
  /** Of each leaf of the target; undefined where it is null in each row. */
  readonly sources: readonly (LeafSource | undefined)[]
}

/**
 * Finds columns by the ids that the file has, or by their names where it has no ids.
 * @param names of columns by their ids, for files without ids
 * @throws FormatError a column that does not go with the target
 */
export const matchColumns = (
  { columns }: ParquetSchema,
  { nodes, leaves }: TargetLayout,
  names: ReadonlyMap<number, readonly string[]>,
): MatchedColumns => {
  const sources = leaves.map((): LeafSource | undefined => undefined)
  const find = createFindNode(columns, names)
  const wanted = nodes.flatMap(target => {
    const node = find(columns, target)
    matchNode(node, target, { steps: [[0, 0]], beside: undefined, repetition: 0, find, sources })
    return node ? [node] : []
  })
  return { columns: wanted, sources }
}

/** Finds the column, or the member of a struct, that is one of the target. */
export type FindNode = (all: readonly Node[], target: TargetNode) => Node | undefined

/** @throws FormatError the file has no ids, and the table no names for that */
export const createFindNode = (
  columns: ParquetSchema['columns'],
  names: ReadonlyMap<number, readonly string[]>,
): FindNode => {
  if (columns.some(({ fieldId }) => fieldId !== undefined)) return (all, { id }) => all.find(one => one.fieldId === id)
  // Some readers would go by the names of the table then, others by the order of its columns.
  if (names.size === 0)
    throw new FormatError('parquet', 0, 'expected ids of columns, as the table has no mapping of their names')
  return (all, { id }) => all.find(({ name }) => names.get(id)?.includes(name))
}

type Trail = {
  /** Definition levels of the file on the way, each with the target's for it. */
  readonly steps: readonly (readonly [level: number, ofTarget: number])[]
  /** What is around it, in the file, and how often that is repeated. */
  readonly beside: Node | undefined
  readonly repetition: number
  readonly find: FindNode
  readonly sources: (LeafSource | undefined)[]
}

const matchNode = (node: Node | undefined, target: TargetNode, trail: Trail): void => {
  if (!node) {
    matchMissing(target, trail)
    return
  }
  // What is null where the target must not be: a leaf that says so by itself has no value there.
  const isNull = target.isRequired && target.kind !== 'leaf' && node.isOptional
  const nulls = isNull ? [[node.definition - 1, neverNull] as const] : []
  const steps = [...trail.steps, ...nulls, [node.definition, target.definition] as const]
  if (target.kind === 'leaf' && node.kind === 'leaf') {
    const { leaf } = node
    if (leaf.maxRepetition !== target.leaf.maxRepetition) throw unlike(target)
    trail.sources[target.leaf.index] = {
      index: leaf.index,
      definitions: toLevels(steps, leaf.maxDefinition),
      maxRepetition: leaf.maxRepetition,
      values: toRawValues(leaf, target.leaf),
    }
  } else if (target.kind === 'struct' && node.kind === 'struct') {
    const inner = { ...trail, steps, beside: node }
    for (const member of target.members) matchNode(trail.find(node.children, member), member, inner)
  } else if (target.kind === 'list' && node.kind === 'list') {
    matchNode(node.item, target.item, toElement(node, target, { ...trail, steps }))
  } else if (target.kind === 'map' && node.kind === 'map') {
    const inner = toElement(node, target, { ...trail, steps })
    matchNode(node.key, target.key, inner)
    matchNode(node.value, target.value, inner)
  } else throw unlike(target)
}

const toElement = (
  node: Extract<Node, { kind: 'list' | 'map' }>,
  target: Extract<TargetNode, { kind: 'list' | 'map' }>,
  trail: Trail,
): Trail => {
  if (node.repetition !== target.repetition) throw unlike(target)
  const steps = [...trail.steps, [node.present, target.present] as const]
  return { ...trail, steps, beside: node, repetition: target.repetition }
}

/** What is not in the file is null wherever that which is around it is there. */
const matchMissing = (target: TargetNode, trail: Trail): void => {
  const { beside, steps, repetition, sources } = trail
  if (target.isRequired)
    throw new FormatError('parquet', 0, `expected the column "${target.name}", which may not be null, found none`)
  if (!beside) return
  // Definition levels of any leaf beside it are as many as that leaf has: all above the last step mean the same.
  for (const { index } of toTargetLeaves(target))
    sources[index] = {
      index: beside.first,
      definitions: toLevels(steps, 255),
      maxRepetition: repetition,
      values: undefined,
    }
}

const toTargetLeaves = (node: TargetNode): readonly TargetLeaf[] => {
  switch (node.kind) {
    case 'leaf':
      return [node.leaf]
    case 'struct':
      return node.members.flatMap(toTargetLeaves)
    case 'list':
      return toTargetLeaves(node.item)
    case 'map':
      return [...toTargetLeaves(node.key), ...toTargetLeaves(node.value)]
  }
}

const toLevels = (steps: Trail['steps'], most: number): Uint8Array => {
  const levels = new Uint8Array(most + 1)
  for (const [level, ofTarget] of steps) levels.fill(ofTarget, level)
  return levels
}

const unlike = ({ name, kind }: TargetNode): FormatError =>
  new FormatError('parquet', 0, `expected the column "${name}" to be a ${kind}, found another kind`)
