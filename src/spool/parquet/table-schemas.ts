import { isDeepStrictEqual } from 'node:util'
import { copyKind } from '../../formats/parquet/kind.ts'
import type { EventSchema } from './event-schema.ts'
import type { KnownTable, TableOf } from './table-columns.ts'

/** Changes a schema, and notes that it did where there is anything new. @param make returns whether there is */
export type ChangeSchema = (schema: EventSchema, make: (schema: EventSchema) => boolean) => boolean

/** The schemas of those types of a segment whose files are of a table. */
export type TableSchemas = {
  /** Takes the columns of the table of a type, or forgets those where its files are of no table any more. */
  prepare(schema: EventSchema, isOfTable: boolean, takesIds: boolean): Promise<EventSchema>
  /**
   * Gives the tables of the types that were prepared the columns that they lack.
   * @returns whether any has others now than its files were made for: these have to be made again
   */
  settle(): Promise<boolean>
  /** Whether any type was prepared. */
  readonly isUsed: boolean
}

/** @param onNews see `openSchemaStore` */
export const createTableSchemas = (tableOf: TableOf, change: ChangeSchema, onNews: () => void): TableSchemas => {
  const prepared = new Set<EventSchema>()

  /** @returns whether its table is another one than before, or has other columns */
  const adopt = (schema: EventSchema, known: KnownTable): boolean => {
    let isOther = false
    change(schema, one => {
      const before = copyKind(one.columns)
      isOther = one.adopt(known)
      return !isDeepStrictEqual(before, one.columns)
    })
    return isOther
  }
  return {
    prepare: async (schema, isOfTable, takesIds) => {
      schema.takesIds = isOfTable && takesIds
      if (isOfTable) {
        adopt(schema, await tableOf(schema.name))
        prepared.add(schema)
      } else if (schema.table || schema.refusal !== undefined) schema.adopt({ table: 'none' })
      return schema
    },
    settle: async () => {
      let isOther = false
      for (const schema of prepared) {
        const missing = schema.missingInTable()
        if (!missing) continue
        onNews()
        if (adopt(schema, await tableOf(schema.name, missing))) isOther = true
        change(schema, one => one.dropMissing())
      }
      if (isOther) for (const schema of prepared) schema.reset()
      prepared.clear()
      return isOther
    },
    get isUsed() {
      return prepared.size > 0
    },
  }
}
