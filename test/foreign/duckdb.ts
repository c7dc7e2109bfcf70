import { createRequire } from 'node:module'
import { installForeign } from './install.ts'

/** A row of a result, its values in the classes of DuckDB's client. */
export type Row = readonly unknown[]

/** What DuckDB answers. */
export const queryDuckDb = async (sql: string): Promise<readonly Row[]> => {
  connection ??= connect()
  return (await (await connection).runAndReadAll(sql)).getRows()
}

let connection: Promise<Connection> | undefined

/** As far as it is called here: its types are installed with it. */
type Connection = { runAndReadAll(sql: string): Promise<{ getRows(): readonly Row[] }> }
type DuckDb = {
  readonly DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<Connection> }> }
}

const connect = async (): Promise<Connection> => {
  await installForeign()
  const { DuckDBInstance } = createRequire(import.meta.url)('@duckdb/node-api') as DuckDb
  const instance = await DuckDBInstance.create(':memory:')
  return await instance.connect()
}
