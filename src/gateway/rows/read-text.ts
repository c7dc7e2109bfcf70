import { createAcceptCheck } from '../../contract/media-types.ts'
import { SluiceError } from '../../errors.ts'
import type { FileStatus } from '../../filesystem/filesystem.ts'
import { parsePath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call/call.ts'
import { createCsvEncoder } from '../../rows/encoders/csv.ts'
import type { Rows } from '../../rows/row.ts'
import { firstRun } from '../../rows/source.ts'
import { dataHeaders, toSerializerHeader, toUnreadable } from '../answers.ts'
import { createTextBody } from '../body.ts'
import type { ReadContext, ToBodyOptions } from '../context.ts'
import { follow } from '../follow.ts'
import { openAhead } from '../open-ahead.ts'
import { findRowEntries } from '../tables/walk-rows.ts'
import { sampleColumns } from './columns.ts'
import { createRowWindow, parseRange, type RowWindow } from './range.ts'
import { describeReading, isDamagedFile, isNoTable, isVanished, openWanted, passTableFile } from './row-files.ts'
import { type TextForm, type TextFormParams, toTextForm } from './text-form.ts'
import { parseColumns, type WantedColumns } from './wanted-columns.ts'
import { checkAsked, parseWhereParam, toUnknownText, type WantedWhere } from './wanted-where.ts'

/** The common parameters of `/rest/1.0/text` and the text of `/rest/1.0/hdfs`. */
export type TextParams = {
  readonly path: string
  readonly range?: string
  readonly columns?: readonly string[]
  readonly where?: string
  readonly recursive: boolean
  readonly header?: boolean
  readonly safe?: boolean
  readonly skipDamaged?: boolean
} & TextFormParams

/** Answers with the rows of a file, or of the files of a directory one after another, as CSV (RFC 4180), streamed. */
export const readText = async (
  context: ReadContext & { readonly toBodyOptions: ToBodyOptions },
  call: Call<TextParams>,
  mediaType = acceptsCsv(call.header('accept')) ? 'text/csv' : 'text/plain',
): Promise<Response> => {
  const { path, range, recursive, header = false, safe = false, skipDamaged = false } = call.params
  const window = createRowWindow(parseRange(range))
  const columns = parseColumns(call.params.columns)
  const where = parseWhereParam(call.params.where)
  const status = await context.fileSystem.getFileStatus(parsePath(path))
  const headers = { ...dataHeaders, 'content-type': `${mediaType}; charset=utf-8` }
  if (call.method === 'HEAD') return new Response(null, { headers })
  const stop = follow(call.signal)
  const { signal } = stop
  const form = toTextForm(call.params)
  const files = readFiles(context, { status, form, recursive, columns, where, window, skipDamaged, signal })
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
  readonly form: TextForm
  readonly recursive: boolean
  readonly columns: WantedColumns
  readonly where: WantedWhere
  readonly window: RowWindow
  /** Whether the rows of a directory continue with the next file after a damaged one. */
  readonly skipDamaged: boolean
  readonly signal: AbortSignal
}

/** The rows of several files, and what is known of the files opened so far. */
type RowFiles = AsyncIterable<Rows> & {
  /** Of the first file. */
  serializer: string | undefined
  /** Column names from the files themselves. */
  columns: readonly string[]
  /** Whether these are all that any row has. */
  hasAllColumns: boolean
}

const readFiles = (
  context: ReadContext,
  { status, form, recursive, columns, where, window, skipDamaged, signal }: FilesOptions,
): RowFiles => {
  // Both are nothing in CSV, but who looks for null must find it.
  const options = { raw: false, nulls: where !== undefined, form, columns, where, isNamed: !status.isDirectory, signal }
  const files: RowFiles = {
    serializer: undefined,
    columns: [],
    hasAllColumns: false,
    async *[Symbol.asyncIterator]() {
      const { fileSystem, ahead: memory } = context
      const walked = { recursive, visibleOnly: true, where, signal }
      const { columns: ofTable, parts } = await findRowEntries(context, status, walked)
      checkAsked({ columns, where }, ofTable)
      files.columns = ofTable ?? []
      files.hasAllColumns = ofTable !== undefined
      const isRead = (entry: FileStatus): boolean => !entry.isDirectory && !(entry.isSpecial && status.isDirectory)
      const toFirstRun = (entry: FileStatus) => (isRead(entry) ? firstRun(entry.length) : undefined)
      let hasFound = false
      for await (const part of openAhead(parts, {
        fileSystem,
        root: status,
        memory,
        toFirstRun,
        filesWanted: window.filesWanted,
        signal,
      })) {
        for (const entry of part) {
          if (entry.error && !isVanished(entry.error)) throw entry.error
          if (!isRead(entry.status) || passTableFile(entry, window)) continue
          let hasRows = false
          try {
            const { reading, rows } = await openWanted(context, entry, window, options)
            files.serializer ??= describeReading(reading)
            if (!status.isDirectory) files.hasAllColumns = reading.hasAllColumns === true
            if (reading.columns) files.columns = [...new Set([...files.columns, ...reading.columns])]
            for await (const some of rows) {
              if (some.length === 0) continue
              hasRows = true
              hasFound = true
              yield some
            }
          } catch (thrown) {
            if (!status.isDirectory || signal.aborted) throw thrown
            // Gone since it was listed, or an image or archive: nothing of it is in the answer.
            if (entry.table === undefined && !hasRows && (isVanished(thrown) || isNoTable(thrown))) continue
            if (!isDamagedFile(thrown)) throw thrown
            const { path } = entry.status
            if (!skipDamaged) throw toDamaged(path, thrown)
            context.logger.warn({ path, reason: thrown.message }, 'a damaged file was skipped')
          }
          if (window.isDone) break
        }
        if (window.isDone) break
      }
      // Nothing is sent yet, so that it can be said.
      const unknown = hasFound ? undefined : toUnknownText(where)
      if (unknown !== undefined) throw new SluiceError('bad-parameter', unknown)
    },
  }
  return files
}

const toDamaged = (path: string, cause: Error): SluiceError =>
  new SluiceError('unreadable', `"${path}": ${cause.message}; to skip damaged files, add skipDamaged=true`, { cause })

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
  const encoder = createCsvEncoder(
    { names: columns, hasMore: wanted === undefined && !isWhole && !files.hasAllColumns },
    { safe },
  )
  yield encoder.header()
  yield* encoder.encode(first)
  for await (const rows of rest) yield* encoder.encode(rows)
}
