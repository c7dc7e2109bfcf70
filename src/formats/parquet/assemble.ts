/** Values of leaves put together as the schema has them: Dremel's record assembly, without its state machine. */
import { Buffer } from 'node:buffer'
import { FormatError } from '../../errors.ts'
import type { Budget } from '../budget.ts'
import { setMember } from '../members.ts'
import { isWrapped, type Value } from '../number.ts'
import type { LeafReader } from './leaf-reader.ts'
import type { Node } from './schema.ts'
import { readVariant } from './variant.ts'

/** Makes the value of a column from where its leaves are, and moves them past it. */
export type Assemble = () => Value

/** Leaves by their number in the file. */
export type LeafReaders = ReadonlyMap<number, LeafReader>

/**
 * Makes what assembles the values of a column.
 * @param budget refilled by the caller for each row: each value counts in it, and its bytes
 */
export const createColumn = (node: Node, readers: LeafReaders, budget: Budget): Assemble => {
  const assemble = createAssemble(node, { readers, budget })
  const leaves = toReaders(node, readers)
  return () => {
    for (const leaf of leaves) leaf.nextRow()
    const value = assemble()
    for (const leaf of leaves) if (leaf.at !== leaf.rowEnd) throw disagree()
    return value
  }
}

type Kit = { readonly readers: LeafReaders; readonly budget: Budget }

const createAssemble = (node: Node, kit: Kit): Assemble => {
  switch (node.kind) {
    case 'leaf':
      return createLeaf(toFirst(node, kit.readers), kit.budget)
    case 'struct':
      return orNull(node, kit, createStruct(node.children, kit))
    case 'variant':
      return orNull(node, kit, createVariant(node.children, kit))
    case 'list':
      return createRepeated(node, kit, createAssemble(node.item, kit), items => items)
    case 'map':
      // Keys that are not scalars never make an object, so an empty map of such keys does not either.
      return createRepeated(
        node,
        kit,
        createEntry(node.key, node.value, kit),
        node.key.kind === 'leaf' ? toMap : toEntries,
      )
  }
}

const toReaders = ({ first, end }: Node, readers: LeafReaders): readonly LeafReader[] =>
  Array.from({ length: end - first }, (_, i) => readers.get(first + i) ?? noReader())

const toFirst = ({ first }: Node, readers: LeafReaders): LeafReader => readers.get(first) ?? noReader()

const noReader = (): never => {
  throw new TypeError('Cannot assemble a column whose leaves are not read')
}

const createLeaf = (leaf: LeafReader, budget: Budget): Assemble => {
  const { maxDefinition } = leaf.leaf
  return () => {
    budget.value()
    if (leaf.at >= leaf.rowEnd) throw disagree()
    if (leaf.definitions[leaf.at++] !== maxDefinition) return null
    const value = leaf.values[leaf.valueAt++] as Value
    if (typeof value === 'string' || value instanceof Uint8Array) budget.bytes(value.length)
    return value
  }
}

/** Skips the one level that marks an absent element. */
const createSkip = (node: Node, { readers }: Kit): (() => void) => {
  const leaves = toReaders(node, readers)
  return () => {
    for (const leaf of leaves) if (leaf.at++ >= leaf.rowEnd) throw disagree()
  }
}

const orNull = (node: Node, kit: Kit, assemble: Assemble): Assemble => {
  if (!node.isOptional) return assemble
  const leaf = toFirst(node, kit.readers)
  const skip = createSkip(node, kit)
  const { definition } = node
  return () => {
    if ((leaf.definitions[leaf.at] as number) >= definition) return assemble()
    kit.budget.value()
    skip()
    return null
  }
}

const createStruct = (children: readonly Node[], kit: Kit): Assemble => {
  const members = children.map(child => [child.name, createAssemble(child, kit)] as const)
  const nameBytes = children.reduce((sum, { name }) => sum + name.length, 0)
  const { budget } = kit
  return () => {
    budget.value()
    budget.bytes(nameBytes)
    const object: { [name: string]: Value } = {}
    for (const [name, assemble] of members) setMember(object, name, assemble())
    return object
  }
}

type Entry = { readonly key: Value; readonly value: Value }

const createEntry = (keyNode: Node, valueNode: Node, kit: Kit): (() => Entry) => {
  const [key, value] = [createAssemble(keyNode, kit), createAssemble(valueNode, kit)]
  return () => ({ key: key(), value: value() })
}

const createRepeated = <T>(
  node: Node & { readonly kind: 'list' | 'map' },
  kit: Kit,
  item: () => T,
  toValue: (items: T[]) => Value,
): Assemble => {
  const leaf = toFirst(node, kit.readers)
  const skip = createSkip(node, kit)
  const { definition, present, repetition, isOptional } = node
  const { budget } = kit
  return () => {
    budget.value()
    const level = leaf.definitions[leaf.at] as number
    if (level < present) {
      skip()
      return isOptional && level < definition ? null : toValue([])
    }
    const items: T[] = []
    do items.push(item())
    while (leaf.at < leaf.rowEnd && (leaf.repetitions[leaf.at] as number) >= repetition)
    return toValue(items)
  }
}

/** An object where each key is a text of its own, or a number or the like that has one; else a list of entries. */
const toMap = (entries: readonly Entry[]): Value => {
  const names: string[] = []
  for (const { key } of entries) {
    const name = toName(key)
    if (name === undefined) return toEntries(entries)
    names.push(name)
  }
  if (new Set(names).size < names.length) return toEntries(entries)
  const object: { [name: string]: Value } = {}
  for (const [i, { value }] of entries.entries()) setMember(object, names[i] as string, value)
  return object
}

const toEntries = (entries: readonly Entry[]): Value => entries.map(({ key, value }) => ({ key, value }))

/** A key as it is shown. */
const toName = (key: Value): string | undefined => {
  if (typeof key === 'string') return key
  if (key instanceof Uint8Array) return Buffer.from(key.buffer, key.byteOffset, key.length).toString('base64')
  if (typeof key === 'object' && !isWrapped(key)) return undefined
  return String(key)
}

const createVariant = (children: readonly Node[], kit: Kit): Assemble => {
  const [metadata] = children.flatMap(child => (child.name === 'metadata' ? createAssemble(child, kit) : []))
  const rest = children.filter(({ name }) => name !== 'metadata')
  const value = createStruct(rest, kit)
  return () => readVariant(metadata?.() ?? null, value(), kit.budget)
}

const disagree = (): FormatError =>
  new FormatError('parquet', 0, 'expected levels of the columns of a group that agree, found others')
