/** A table of one closed hour, of files that DuckDB writes. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { queryDuckDb } from '../../foreign/duckdb.ts'
import { runCli } from '../../suites/run-cli.ts'

const hour = '2026-11-22 08:00:00+00'

/** Where they are before the table has them. */
export const sourcesOf = (table: string): string => join(table, 'hour=08')

/** Writes the files of a table. @param table its directory */
export const writeHour = async (table: string, rows: number, files: number): Promise<void> => {
  const directory = sourcesOf(table)
  await mkdir(directory, { recursive: true })
  const each = Math.ceil(rows / files)
  for (let file = 0; file < files; file++) {
    const from = file * each
    await queryDuckDb(`COPY (
      SELECT range AS id, TIMESTAMPTZ '${hour}' + to_microseconds(CAST(floor(random() * 3.6e9) AS BIGINT)) AS eventDate,
        'user-' || (hash(range) % 100000) AS userId, '/products/' || (hash(range + 1) % 5000) || '/reviews' AS path,
        (hash(range + 2) % 100000) / 100 AS price, range % 3 = 0 AS isNew
      FROM range(${from}, ${Math.min(rows, from + each)})
    ) TO '${directory}/${file}.parquet' (FORMAT parquet, COMPRESSION zstd)`)
  }
}

/** Makes a table of the files of a directory below the event output directory. @throws Error with what the command said */
export const importHour = async (dataDirectory: string, name: string): Promise<void> => {
  const { code, stderr } = await runCli(['table', 'import', name, '--json', '--set', `data.dir=${dataDirectory}`])
  if (code !== 0) throw new Error(stderr)
}
