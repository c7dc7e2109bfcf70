import type { TableMetadata } from '../tables/metadata.ts'
import { type NamedField, nameMapping, parseMapping } from '../tables/name-mapping.ts'

/** Names of columns, and of members of structs, by their ids, as the table has them for files without ids; of one that says nothing none. */
export const mapColumnNames = ({ properties, location }: TableMetadata): ReadonlyMap<number, readonly string[]> => {
  const names = new Map<number, readonly string[]>()
  const add = (fields: readonly NamedField[]): void => {
    for (const { id, names: found, within } of fields) {
      if (id !== undefined) names.set(id, found)
      add(within)
    }
  }
  const mapping = properties.get(nameMapping)
  if (mapping !== undefined) add(parseMapping(mapping, location))
  return names
}
