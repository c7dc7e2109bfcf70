/**
 * The columns of a Parquet file as a table would have them (Iceberg specification, Appendix A, "Parquet"), without ids, which
 * a table gives.
 */
import type { Leaf, Node } from '../../formats/parquet/schema.ts'

/** A type without ids: a word of the specification, or what is nested. */
export type Shape =
  | string
  | { readonly kind: 'struct'; readonly members: readonly ShapedColumn[] }
  | { readonly kind: 'list'; readonly element: Shape }
  | { readonly kind: 'map'; readonly key: Shape; readonly value: Shape }

export type ShapedColumn = { readonly name: string; readonly shape: Shape }

/** A file has a column that no table can have. */
export class UnfitColumn extends TypeError {
  override readonly name = 'UnfitColumn'
}

/** @throws UnfitColumn naming the column and what it is */
export const toShapes = (columns: readonly Node[]): ShapedColumn[] =>
  columns.map(column => ({ name: column.name, shape: toShape(column, column.name) }))

const toShape = (node: Node, path: string): Shape => {
  switch (node.kind) {
    case 'leaf':
      return toWord(node.leaf, path)
    case 'struct':
      return {
        kind: 'struct',
        members: node.children.map(child => ({ name: child.name, shape: toShape(child, `${path}.${child.name}`) })),
      }
    case 'list':
      return { kind: 'list', element: toShape(node.item, `${path}.element`) }
    case 'map':
      return { kind: 'map', key: toShape(node.key, `${path}.key`), value: toShape(node.value, `${path}.value`) }
    case 'variant':
      throw unfit(path, 'a variant')
  }
}

const toWord = ({ element, logical }: Leaf, path: string): string => {
  const { type = 'a group', typeLength = 0 } = element
  if (logical === undefined) return toPlainWord(type, typeLength, path)
  switch (logical.kind) {
    case 'STRING':
    case 'ENUM':
    case 'JSON':
      return 'string'
    case 'BSON':
      return 'binary'
    case 'DATE':
      return 'date'
    case 'UUID':
      return 'uuid'
    case 'DECIMAL':
      if (logical.precision > maxDecimalDigits) throw unfit(path, `a decimal of ${logical.precision} digits`)
      return `decimal(${logical.precision}, ${logical.scale})`
    case 'TIMESTAMP':
      if (logical.unit === 'NANOS') throw unfit(path, 'a time in nanoseconds')
      return logical.isUtc ? 'timestamptz' : 'timestamp'
    case 'TIME':
      if (logical.unit !== 'MICROS') throw unfit(path, `a time of day in ${logical.unit.toLowerCase()}`)
      return 'time'
    case 'INTEGER':
      // Of 32 bits without a sign it takes a long; of 64 it fits no type.
      if (!logical.isSigned && logical.bits === 64) throw unfit(path, 'an unsigned integer of 64 bits')
      return type === 'INT64' || (!logical.isSigned && logical.bits === 32) ? 'long' : 'int'
    default:
      throw unfit(path, logical.kind)
  }
}

/** As the specification bounds them. */
const maxDecimalDigits = 38

const toPlainWord = (type: string, length: number, path: string): string => {
  switch (type) {
    case 'BOOLEAN':
      return 'boolean'
    case 'INT32':
      return 'int'
    case 'INT64':
      return 'long'
    case 'FLOAT':
      return 'float'
    case 'DOUBLE':
      return 'double'
    case 'BYTE_ARRAY':
      return 'binary'
    case 'FIXED_LEN_BYTE_ARRAY':
      return `fixed[${length}]`
    default:
      throw unfit(path, type)
  }
}

const unfit = (path: string, what: string): UnfitColumn =>
  new UnfitColumn(`the column ${path} is ${what}, which a table of format version 2 does not have`)
