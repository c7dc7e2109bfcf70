import type { SchemaStore } from '../parquet/schema-store.ts'
import type { Buckets } from './buckets.ts'

/** The columns of a table have changed since files were begun for it: they are made again, from the start. */
export class TableChanged extends Error {
  override readonly name = 'TableChanged'
}

/** From the ends of its files on, which have the ids of all columns, a table has to have these. @throws TableChanged */
export const settleTables = async (buckets: Buckets, schemas: SchemaStore): Promise<void> => {
  // What is new is known once all rows are in their columns.
  for (const { encoder } of buckets.values()) encoder.pack?.()
  if (await schemas.tables.settle()) throw new TableChanged()
}
