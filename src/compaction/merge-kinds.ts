/** What the columns of several files hold that the collector wrote, so that one file says it of all of them. */
import { isDeepStrictEqual } from 'node:util'
import { describeKind, isList, isStruct, type Kind, type StructKind, toJsonValue } from '../formats/parquet/kind.ts'
import type { FindNode } from '../formats/parquet/rewrite/match-columns.ts'
import type { TargetNode } from '../formats/parquet/rewrite/target.ts'
import type { Node } from '../formats/parquet/schema.ts'

/** Two files say different things of a column. */
export class UnlikeKinds extends TypeError {
  override readonly name = 'UnlikeKinds'
}

/** The kinds of a file by the names that the table has for its columns now, without those that it has no more. */
export const toTableKinds = (
  { struct }: StructKind,
  columns: readonly Node[],
  targets: readonly TargetNode[],
  find: FindNode,
): StructKind => {
  const named = new Map<string, Kind>()
  for (const target of targets) {
    const node = find(columns, target)
    const kind = node && struct.get(node.name)
    if (node && kind !== undefined) named.set(target.name, toTableKind(kind, node, target, find))
  }
  return { struct: named }
}

const toTableKind = (kind: Kind, node: Node, target: TargetNode, find: FindNode): Kind => {
  if (isStruct(kind) && node.kind === 'struct' && target.kind === 'struct')
    return toTableKinds(kind, node.children, target.members, find)
  if (isList(kind) && node.kind === 'list' && target.kind === 'list')
    return { list: toTableKind(kind.list, node.item, target.item, find) }
  return kind
}

/** @param path of the columns within others @throws UnlikeKinds */
export const mergeStructs = ({ struct }: StructKind, other: StructKind, path = ''): StructKind => {
  const merged = new Map(struct)
  for (const [name, kind] of other.struct) {
    const known = merged.get(name)
    merged.set(name, known === undefined ? kind : mergeBoth(known, kind, path === '' ? name : `${path}.${name}`))
  }
  return { struct: merged }
}

const mergeBoth = (left: Kind, right: Kind, path: string): Kind => {
  if (isStruct(left) && isStruct(right)) return mergeStructs(left, right, path)
  if (isList(left) && isList(right)) return { list: mergeBoth(left.list, right.list, `${path}.element`) }
  if (isDeepStrictEqual(toJsonValue(left), toJsonValue(right))) return left
  throw new UnlikeKinds(
    `the column ${path} is ${describeKind(left)} in some files, and ${describeKind(right)} in others`,
  )
}
