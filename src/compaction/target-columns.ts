/** The columns of a table as a Parquet file of it has them (Iceberg specification, Appendix A, "Parquet"). */
import type { TargetColumn, TargetType } from '../formats/parquet/rewrite/target.ts'
import { type ElementType, textType, toTimeType } from '../formats/parquet/write/element-types.ts'
import type { TableField, TableType } from '../tables/schema.ts'
import { TableError } from '../tables/table-error.ts'

/** @param where the table, for errors @throws TableError a type that is not written */
export const toTargetColumns = (fields: readonly TableField[], where: string): TargetColumn[] =>
  fields.map(({ id, name, isRequired, type }) => toColumn({ id, name, isRequired }, type, where))

type Head = Pick<TargetColumn, 'id' | 'name' | 'isRequired'>

const toColumn = (head: Head, type: TableType, where: string): TargetColumn => {
  if (typeof type === 'string') {
    const found = toType(type)
    if (found) return { ...head, kind: 'leaf', type: found }
    throw new TableError(where, `expected a type of format version 2 in the column "${head.name}", found ${type}`)
  }
  switch (type.kind) {
    case 'struct':
      return { ...head, kind: 'struct', members: toTargetColumns(type.fields, where) }
    case 'list': {
      const item = { id: type.id, name: 'element', isRequired: type.isRequired }
      return { ...head, kind: 'list', item: toColumn(item, type.element, where) }
    }
    case 'map': {
      const key = { id: type.keyId, name: 'key', isRequired: true }
      const value = { id: type.valueId, name: 'value', isRequired: type.isRequired }
      return {
        ...head,
        kind: 'map',
        key: toColumn(key, type.key, where),
        value: toColumn(value, type.value, where),
      }
    }
  }
}

const toType = (word: string): TargetType | undefined => {
  const [, kind = word, first, second] = /^(decimal|fixed)[[(]\s*(\d+)\s*(?:,\s*(\d+)\s*)?[\])]$/.exec(word) ?? []
  switch (kind) {
    case 'boolean':
      return { meaning: kind, physical: 'BOOLEAN' }
    case 'int':
      return { meaning: kind, physical: 'INT32' }
    case 'long':
      return { meaning: kind, physical: 'INT64' }
    case 'float':
      return { meaning: kind, physical: 'FLOAT' }
    case 'double':
      return { meaning: kind, physical: 'DOUBLE' }
    case 'date':
      return { meaning: kind, ...dateType }
    case 'time':
      return { meaning: kind, ...toTimeType('time', 'micros', false) }
    case 'timestamp':
    case 'timestamptz':
      return { meaning: 'timestamp', ...toTimeType('timestamp', 'micros', kind === 'timestamptz') }
    case 'string':
      return { meaning: kind, ...textType }
    case 'binary':
      return { meaning: kind, physical: 'BYTE_ARRAY' }
    case 'uuid':
      return {
        meaning: kind,
        physical: 'FIXED_LEN_BYTE_ARRAY',
        width: 16,
        logical: writer => writer.struct(14, () => {}),
      }
    case 'fixed':
      return { meaning: kind, physical: 'FIXED_LEN_BYTE_ARRAY', width: Number(first) }
    case 'decimal':
      return { meaning: kind, ...toDecimal(Number(first), Number(second)) }
    default:
      return undefined
  }
}

const dateType = {
  physical: 'INT32',
  converted: 'DATE',
  logical: writer => writer.struct(6, () => {}),
} as const satisfies ElementType

/** In as few bytes as hold each value of the precision. */
const toDecimal = (precision: number, scale: number): ElementType & Pick<TargetType, 'physical'> => {
  const type: ElementType = {
    scale,
    precision,
    converted: 'DECIMAL',
    logical: writer =>
      writer.struct(5, () => {
        writer.i32(1, scale)
        writer.i32(2, precision)
      }),
  }
  if (precision <= 9) return { ...type, physical: 'INT32' }
  if (precision <= 18) return { ...type, physical: 'INT64' }
  return { ...type, physical: 'FIXED_LEN_BYTE_ARRAY', width: bytesOf(precision) }
}

const bytesOf = (precision: number): number => {
  const most = 10n ** BigInt(precision) - 1n
  let bytes = 1
  while (BigInt.asIntN(bytes * 8, most) !== most) bytes++
  return bytes
}
