import { isAbsolute, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Settings of a server, as its management reports them. */
export type ServerSettings = Readonly<Record<string, string>>

/**
 * Where a server's files are, in words, and the command line to read them with DuckDB; undefined where DuckDB cannot:
 * older formats, and HDFS.
 * @param url of the file system at `/`
 */
export const whereFilesAre = (
  settings: ServerSettings,
  url: string,
): { readonly place: string; readonly query: string | undefined } => {
  const root = url.startsWith('file:') ? fileURLToPath(url) : url
  const path = `${root.replace(/\/$/, '')}${settings['collector.event-output-directory'] ?? ''}`
  const place = isAbsolute(path) ? shorten(path) : path
  const reader = readers[settings['collector.output.format'] ?? '']
  const directories = settings['collector.output.layout'] === 'hive' ? '*/dt=*/hour=*' : '*/*/*/*/*'
  const isHere = isAbsolute(path)
  return { place, query: isHere && reader !== undefined ? toCommand(reader(`${place}/${directories}`)) : undefined }
}

/** What of DuckDB reads the files of a format. @param directories a pattern of those that events of an hour are in */
const readers: Readonly<Record<string, (directories: string) => string>> = {
  parquet: directories => `read_parquet('${directories}/*.parquet', union_by_name = true)`,
  jsonl: directories => `read_json('${directories}/*.jsonl*', union_by_name = true)`,
}

const toCommand = (files: string): string =>
  `duckdb -c "SELECT eventName, count(*) AS events FROM ${files} GROUP BY ALL ORDER BY events DESC"`

/** From here, where that is shorter to read. */
const shorten = (path: string): string => {
  const fromHere = relative(process.cwd(), path)
  return fromHere.startsWith('..') ? path : fromHere
}
