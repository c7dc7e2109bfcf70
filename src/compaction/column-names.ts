import type { TableMetadata } from '../tables/metadata.ts'
import { type NamedField, nameMapping, parseMapping } from '../tables/name-mapping.ts'
import type { TableField, TableType } from '../tables/schema.ts'

/** Names of columns, and of members of structs, by their ids, for files without ids: as the table maps them, or else its own. */
export const mapColumnNames = ({
  properties,
  schema,
  location,
}: TableMetadata): ReadonlyMap<number, readonly string[]> => {
  const names = new Map<number, readonly string[]>()
  const addMapped = (fields: readonly NamedField[]): void => {
    for (const { id, names: found, within } of fields) {
      if (id !== undefined) names.set(id, found)
      addMapped(within)
    }
  }
  const addOwn = (fields: readonly TableField[]): void => {
    for (const { id, name, type } of fields) {
      names.set(id, [name])
      addInner(type)
    }
  }
  const addInner = (type: TableType): void => {
    if (typeof type === 'string') return
    if (type.kind === 'struct') addOwn(type.fields)
    else if (type.kind === 'list') addInner(type.element)
    else addInner(type.value)
  }
  const mapping = properties.get(nameMapping)
  if (mapping === undefined) addOwn(schema.fields)
  else addMapped(parseMapping(mapping, location))
  return names
}
