import type { Disk } from '../../disk/disk.ts'
import { copyKind, countLeaves } from '../../formats/parquet/kind.ts'
import { isRefusedName, refusedFields } from '../refused.ts'
import { EventSchema, type FieldsOf } from './event-schema.ts'
import { type KeptSchema, readSchemas, writeSchemas } from './schema-file.ts'
import { noTable, type TableOf } from './table-columns.ts'
import { type ChangeSchema, createTableSchemas, type TableSchemas } from './table-schemas.ts'

/** Most event types, and most columns of all of them together, that are remembered. */
export const maxSchemas = 10_000
const maxAllColumns = 100_000

/** The changes of an event type since they were last reported. */
export type SchemaNews = KeptSchema & {
  /** Columns that could not hold a value, and how many; those values are in `_extra`. */
  readonly misfits: readonly (readonly [column: string, values: number])[]
}

/** The schemas of all event types. */
export type SchemaStore = {
  /**
   * Gets a type's schema ready, with what the registry knows of it by now. Once for a segment, or the registry's news are missed.
   * @param takesIds whether a table gets a column of the ids of events
   */
  prepare(eventName: string, isOfTable?: boolean, takesIds?: boolean): Promise<EventSchema>
  /** Those that were prepared for a table. */
  readonly tables: Pick<TableSchemas, 'isUsed' | 'settle'>
  /** One that was prepared. */
  get(eventName: string): EventSchema | undefined
  /** Learns from the rows that wait for a type's files; nothing any more once there are too many columns. @returns whether any are new */
  learn(schema: EventSchema): boolean
  /** Remembers what is new, and survives a power cut with it, before a file that has it may be committed. @returns whether anything was */
  save(): Promise<boolean>
  /** Forgets a type, whose columns are inferred again from its next events; survives a power cut when it resolves. */
  forget(eventName: string): Promise<void>
  /** Those that changed or had misfits since the last call; the first time all: who asks may have missed some. */
  takeNews(): SchemaNews[]
}

/**
 * @param tableOf is asked of types that are prepared for a table
 * @param onNews is called when there is something new, and before it is saved; where that throws the store is of no more use
 * @throws UnknownFormat when another version wrote them
 */
export const openSchemaStore = async (
  disk: Disk,
  fieldsOf: FieldsOf,
  onNews = () => {},
  tableOf: TableOf = noTable,
): Promise<SchemaStore> => {
  const schemas = new Map<string, EventSchema>()
  for (const { eventName, columns } of (await readSchemas(disk)).schemas)
    schemas.set(eventName, new EventSchema(eventName, columns))
  /** Types beyond the limit: all their members go into `_extra`. */
  const strangers = new Map<string, EventSchema>()
  let columns = schemas.values().reduce((sum, schema) => sum + countLeaves(schema.columns), 0)
  let isChanged = false
  const news = new Set(schemas.values())

  const note = (schema: EventSchema): void => {
    isChanged = true
    news.add(schema)
    onNews()
  }
  const change: ChangeSchema = (schema, make) => {
    if (strangers.has(schema.name)) return make(schema)
    const before = countLeaves(schema.columns)
    if (!make(schema)) return false
    columns += countLeaves(schema.columns) - before
    note(schema)
    return true
  }
  const prepare = async (eventName: string): Promise<EventSchema> => {
    let schema = schemas.get(eventName) ?? strangers.get(eventName)
    if (!schema) {
      schema = new EventSchema(eventName)
      if (schemas.size >= maxSchemas || columns >= maxAllColumns) return addStranger(strangers, schema)
      schemas.set(eventName, schema)
      columns += countLeaves(schema.columns)
      note(schema)
    }
    if (strangers.has(eventName)) return schema
    const fields = isRefusedName(eventName) ? refusedFields : await fieldsOf(eventName)
    change(schema, one => one.register(fields))
    return schema
  }
  const tables = createTableSchemas(tableOf, change, onNews)
  const save = async (): Promise<boolean> => {
    onNews()
    const kept = Array.from(schemas.values(), schema => ({ eventName: schema.name, columns: schema.columns }))
    await writeSchemas(disk, kept)
    isChanged = false
    return true
  }
  return {
    prepare: async (eventName, isOfTable = false, takesIds = false) =>
      await tables.prepare(await prepare(eventName), isOfTable, takesIds),
    tables,
    get: eventName => schemas.get(eventName) ?? strangers.get(eventName),
    learn: schema => columns < maxAllColumns && !strangers.has(schema.name) && change(schema, one => one.learn()),
    save: async () => {
      // Those of the next segment may be others, without end.
      strangers.clear()
      return isChanged && (await save())
    },
    forget: async eventName => {
      const schema = schemas.get(eventName)
      if (!schema) return
      schemas.delete(eventName)
      news.delete(schema)
      columns -= countLeaves(schema.columns)
      // There is space for them now.
      strangers.clear()
      await save()
    },
    takeNews: () => {
      for (const schema of schemas.values()) if (schema.misfits.size > 0) news.add(schema)
      const taken = Array.from(news, takeNewsOf)
      news.clear()
      return taken
    },
  }
}

/** All members of its events go into `_extra`. */
const addStranger = (strangers: Map<string, EventSchema>, schema: EventSchema): EventSchema => {
  schema.register([])
  strangers.set(schema.name, schema)
  return schema
}

const takeNewsOf = ({ name, columns, misfits }: EventSchema): SchemaNews => {
  const taken = { eventName: name, columns: copyKind(columns), misfits: [...misfits] }
  misfits.clear()
  return taken
}
