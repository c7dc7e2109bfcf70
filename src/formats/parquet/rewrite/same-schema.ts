/** Files with one schema, whose rows go into another one that has the same: each value stays what it is, whatever it means. */
import { FormatError } from '../../../errors.ts'
import { type Leaf, toSchema } from '../schema.ts'
import type { LogicalType, SchemaElement } from '../schema-element.ts'
import type { CompactWriter } from '../write/compact-writer.ts'
import type { ElementType } from '../write/element-types.ts'
import type { WrittenElement } from '../write/footer-writer.ts'
import type { LeafSource } from './match-columns.ts'
import { toRawValues } from './raw-values.ts'
import type { TargetLayout, TargetLeaf } from './target.ts'

/** @throws FormatError a type that is not written as it is */
export const layOutSchema = (elements: readonly SchemaElement[]): TargetLayout => {
  const { leaves } = toSchema(elements)
  const paths = toLeafPaths(elements)
  const targets = leaves.map((leaf, index): TargetLeaf => {
    const { maxDefinition, maxRepetition } = leaf
    return { index, path: paths[index] ?? [], type: toTargetType(leaf), maxDefinition, maxRepetition }
  })
  const written = elements.map(({ name, repetition, children, fieldId, ...element }, i): WrittenElement => {
    const type = toElementType(element)
    return {
      name,
      type,
      ...(i === 0 ? {} : { repetition }),
      ...(element.type === undefined ? { children: children ?? 0 } : {}),
      ...(fieldId === undefined ? {} : { id: fieldId }),
    }
  })
  return { nodes: [], leaves: targets, elements: written }
}

/** Where the values of a layout are in a file of its schema. */
export const toSameLeaves = (leaves: readonly Leaf[], { leaves: targets }: TargetLayout): readonly LeafSource[] =>
  leaves.flatMap((leaf, index) => {
    const target = targets[index]
    if (!target) return []
    const definitions = Uint8Array.from({ length: leaf.maxDefinition + 1 }, (_, level) => level)
    return [{ index, definitions, maxRepetition: leaf.maxRepetition, values: toRawValues(leaf, target) }]
  })

/** The names on the way to each leaf. */
const toLeafPaths = (elements: readonly SchemaElement[]): readonly (readonly string[])[] => {
  const paths: string[][] = []
  let at = 1
  const pass = (count: number, above: readonly string[]): void => {
    for (let left = count; left > 0; left--) {
      const element = elements[at++]
      if (!element) return
      const path = [...above, element.name]
      if (element.type === undefined) pass(element.children ?? 0, path)
      else paths.push(path)
    }
  }
  pass(elements[0]?.children ?? 0, [])
  return paths
}

const toTargetType = ({ element, logical }: Leaf): TargetLeaf['type'] => {
  const { type: physical } = element
  const isDecimal = logical?.kind === 'DECIMAL'
  if (physical === undefined || (physical === 'BYTE_ARRAY' && isDecimal)) throw unwritten(element, logical)
  const isUnsigned = logical?.kind === 'INTEGER' && !logical.isSigned
  const isOrdered = physical === 'FIXED_LEN_BYTE_ARRAY' ? isDecimal : !isUnsigned
  return { ...toElementType(element), physical, meaning: isOrdered ? 'ordered' : 'unordered' }
}

const toElementType = (element: Omit<SchemaElement, 'name' | 'repetition'>): ElementType => {
  const { type, typeLength, scale, precision, converted, logical, isForeign } = element
  if (isForeign)
    throw new FormatError('parquet', 0, 'expected types that are written as they are, found one that is not known')
  if (logical && !Object.hasOwn(logicalIds, logical.kind)) throw unwritten(element, logical)
  return {
    ...(type === undefined ? {} : { physical: type }),
    ...(type === 'FIXED_LEN_BYTE_ARRAY' && typeLength !== undefined ? { width: typeLength } : {}),
    ...(scale === undefined ? {} : { scale }),
    ...(precision === undefined ? {} : { precision }),
    ...(converted === undefined ? {} : { converted }),
    ...(logical ? { logical: writer => writeLogical(writer, logical) } : {}),
  }
}

/** Places in the union of logical types. Those that are missing say more than is kept of them. */
const logicalIds: Readonly<Partial<Record<LogicalType['kind'], number>>> = {
  STRING: 1,
  MAP: 2,
  LIST: 3,
  ENUM: 4,
  DECIMAL: 5,
  DATE: 6,
  TIME: 7,
  TIMESTAMP: 8,
  INTEGER: 10,
  NULL: 11,
  JSON: 12,
  BSON: 13,
  UUID: 14,
  FLOAT16: 15,
}

const timeUnits = { MILLIS: 1, MICROS: 2, NANOS: 3 } as const

const writeLogical = (writer: CompactWriter, logical: LogicalType): void =>
  writer.struct(logicalIds[logical.kind] ?? 0, () => {
    if (logical.kind === 'DECIMAL') {
      writer.i32(1, logical.scale)
      writer.i32(2, logical.precision)
    } else if (logical.kind === 'TIME' || logical.kind === 'TIMESTAMP') {
      writer.boolean(1, logical.isUtc)
      writer.struct(2, () => writer.struct(timeUnits[logical.unit], () => {}))
    } else if (logical.kind === 'INTEGER') {
      writer.i8(1, logical.bits)
      writer.boolean(2, logical.isSigned)
    }
  })

const unwritten = ({ type }: Pick<SchemaElement, 'type'>, logical: LogicalType | undefined): FormatError =>
  new FormatError('parquet', 0, `expected types that are written as they are, found ${logical?.kind ?? type ?? 'none'}`)
