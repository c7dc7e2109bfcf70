/** The ids of columns for files without ids (Iceberg specification, "Column Projection": name mapping). */
import { parseJson } from '../formats/json.ts'
import type { Value } from '../formats/number.ts'
import { type Json, Members } from './members.ts'
import { innerFields, type TableField } from './schema.ts'
import { TableError } from './table-error.ts'

/** The property of a table that has it. */
export const nameMapping = 'schema.name-mapping.default'

/** Names of fields by their ids. */
type Names = ReadonlyMap<number, readonly string[]>

/**
 * The property for these fields.
 * @param before as it was: further names of a field stay, except one that another field of its level has by now
 */
export const toMappingText = (fields: readonly TableField[], before?: string): string =>
  JSON.stringify(toMapping(fields, readNames(before)))

const toMapping = (fields: readonly Pick<TableField, 'id' | 'name' | 'type'>[], known: Names): Json[] => {
  const taken = new Set(fields.map(({ name }) => name))
  return fields.map(({ id, name, type }) => {
    const others = known.get(id)?.filter(other => !taken.has(other)) ?? []
    for (const other of others) taken.add(other)
    const inner = typeof type === 'string' ? {} : { fields: toMapping(innerFields(type), known) as Value[] }
    return { 'field-id': id, names: [name, ...new Set(others)], ...inner }
  })
}

/** Of one that is damaged nothing is known: readers cannot use it either. */
const readNames = (text: string | undefined): Names => {
  const known = new Map<number, readonly string[]>()
  const add = (all: readonly NamedField[]): void => {
    for (const { id, names, within } of all) {
      if (id !== undefined) known.set(id, names)
      add(within)
    }
  }
  try {
    if (text !== undefined) add(parseMapping(text, ''))
  } catch {}
  return known
}

/** A field of a mapping; one without an id is of no column. */
export type NamedField = {
  readonly id: number | undefined
  readonly names: readonly string[]
  readonly within: readonly NamedField[]
}

/** Deepest nesting of names. */
const maxLevels = 100

/** @param where the table, for errors @throws TableError, FormatError, RangeError it is not a name mapping */
export const parseMapping = (text: string, where: string): readonly NamedField[] => {
  const read = (members: readonly Members[], level: number): readonly NamedField[] =>
    members.map(member => {
      if (level > maxLevels) throw new TableError(where, `expected at most ${maxLevels} levels of names`)
      const names = member.json['names']
      return {
        id: member.optionalInteger('field-id'),
        names: Array.isArray(names) ? names.filter(name => typeof name === 'string') : [],
        within: read(member.list('fields'), level + 1),
      }
    })
  return read(new Members({ fields: parseJson(text) }, `${where}, ${nameMapping}`).list('fields'), 0)
}
