import { createAcceptCheck } from '../contract/media-types.ts'
import type { FileStatus } from '../filesystem/filesystem.ts'
import { parsePath } from '../filesystem/path.ts'
import type { Call } from '../http/call.ts'
import { createCsvEncoder } from '../rows/encoders/csv.ts'
import type { Rows } from '../rows/row.ts'
import { firstRun } from '../rows/source.ts'
import { dataHeaders, toSerializerHeader, toUnreadable } from './answers.ts'
import { createTextBody } from './body.ts'
import { sampleColumns } from './columns.ts'
import type { ReadContext, ToBodyOptions } from './context.ts'
import { follow } from './follow.ts'
import { openAhead } from './open-ahead.ts'
import { createRowWindow, parseRange, type RowWindow } from './range.ts'
import { describeReading, isVanished, openWanted } from './row-files.ts'
import { walk } from './walk.ts'
import { parseColumns, type WantedColumns } from './wanted-columns.ts'
import { parseWhereParam, type WantedWhere } from './wanted-where.ts'

/** What `/rest/1.0/text` and the text of `/rest/1.0/hdfs` have in common. */
export type TextParams = {
  readonly path: string
  readonly range?: string
  readonly columns?: readonly string[]
  readonly where?: string
  readonly recursive: boolean
  readonly header?: boolean
  readonly safe?: boolean
}

/** Answers with the rows of a file, or of the files of a directory one after another, as CSV (RFC 4180), streamed. */
export const readText = async (
  context: ReadContext & { readonly toBodyOptions: ToBodyOptions },
  call: Call<TextParams>,
  mediaType = acceptsCsv(call.header('accept')) ? 'text/csv' : 'text/plain',
): Promise<Response> => {
  const { path, range, recursive, header = false, safe = false } = call.params
  const window = createRowWindow(parseRange(range))
  const columns = parseColumns(call.params.columns)
  const where = parseWhereParam(call.params.where)
  const status = await context.fileSystem.getFileStatus(parsePath(path))
  const headers = { ...dataHeaders, 'content-type': `${mediaType}; charset=utf-8` }
  if (call.method === 'HEAD') return new Response(null, { headers })
  const stop = follow(call.signal)
  const { signal } = stop
  const files = readFiles(context, { status, recursive, columns, where, window, signal })
  try {
    const lines = header ? writeTable(files, columns, safe) : writeRows(files, safe)
    const body = await createTextBody(lines, context.toBodyOptions(call, stop))
    return new Response(body, { headers: { ...headers, ...toSerializerHeader(files.serializer) } })
  } catch (error) {
    throw toUnreadable(error)
  }
}

const acceptsCsv = createAcceptCheck(['text/csv'])

type FilesOptions = {
  readonly status: FileStatus
  readonly recursive: boolean
  readonly columns: WantedColumns
  readonly where: WantedWhere
  readonly window: RowWindow
  readonly signal: AbortSignal
}

/** The rows of several files, and what is known of the files opened so far. */
type RowFiles = AsyncIterable<Rows> & {
  /** Of the first file. */
  serializer: string | undefined
  /** Column names that the files themselves told. */
  columns: readonly string[]
}

const readFiles = (
  context: ReadContext,
  { status, recursive, columns, where, window, signal }: FilesOptions,
): RowFiles => {
  // Both are nothing in CSV, but who looks for null must find it.
  const options = { raw: false, nulls: where !== undefined, columns, where, isNamed: !status.isDirectory, signal }
  const files: RowFiles = {
    serializer: undefined,
    columns: [],
    async *[Symbol.asyncIterator]() {
      const { fileSystem, ahead: memory } = context
      const entries = walk(fileSystem, status, { recursive, visibleOnly: true, signal })
      const isRead = (entry: FileStatus): boolean => !entry.isDirectory && !(entry.isSpecial && status.isDirectory)
      const toFirstRun = (entry: FileStatus) => (isRead(entry) ? firstRun(entry.length) : undefined)
      for await (const part of openAhead(entries, {
        fileSystem,
        root: status,
        memory,
        toFirstRun,
        filesWanted: window.filesWanted,
        signal,
      })) {
        for (const entry of part) {
          if (entry.error && !isVanished(entry.error)) throw entry.error
          if (!isRead(entry.status)) continue
          let hasRows = false
          try {
            const { reading, rows } = await openWanted(context, entry, window, options)
            files.serializer ??= describeReading(reading)
            if (reading.columns) files.columns = [...new Set([...files.columns, ...reading.columns])]
            for await (const some of rows) {
              if (some.length === 0) continue
              hasRows = true
              yield some
            }
          } catch (thrown) {
            // Gone since it was listed, and nothing of it is in the answer.
            if (!isVanished(thrown) || hasRows || !status.isDirectory) throw thrown
          }
          if (window.isDone) return
        }
      }
    },
  }
  return files
}

async function* writeRows(files: RowFiles, safe: boolean): AsyncGenerator<string, void, undefined> {
  const encoder = createCsvEncoder(undefined, { safe })
  for await (const rows of files) yield* encoder.encode(rows)
}

async function* writeTable(
  files: RowFiles,
  wanted: WantedColumns,
  safe: boolean,
): AsyncGenerator<string, void, undefined> {
  const { first, names, isWhole, rest } = await sampleColumns(files)
  const columns = wanted ?? [...new Set([...files.columns, ...names])]
  const encoder = createCsvEncoder({ names: columns, hasMore: wanted === undefined && !isWhole }, { safe })
  yield encoder.header()
  yield* encoder.encode(first)
  for await (const rows of rest) yield* encoder.encode(rows)
}
