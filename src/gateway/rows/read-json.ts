import type { Params } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import { type FileStatus, FileSystemError } from '../../filesystem/filesystem.ts'
import { parsePath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call/call.ts'
import { createJsonRowEncoder } from '../../rows/encoders/json.ts'
import type { Piece } from '../../rows/encoders/pieces.ts'
import { firstRun } from '../../rows/source.ts'
import { dataHeaders, toSerializerHeader } from '../answers.ts'
import { createTextBody } from '../body.ts'
import type { ReadContext, ToBodyOptions } from '../context.ts'
import { follow } from '../follow.ts'
import { openAhead, type ReadyEntry } from '../open-ahead.ts'
import { findRowEntries } from '../tables/walk-rows.ts'
import { isHidden, walk } from '../walk.ts'
import { createListingLayout } from './listing.ts'
import { createRowWindow, parseRange, type RowWindow } from './range.ts'
import {
  describeReading,
  isDamage,
  openWanted,
  passTableFile,
  type Search,
  toFailureText,
  type WantedRows,
} from './row-files.ts'
import { toTextForm } from './text-form.ts'
import { parseColumns, type WantedColumns } from './wanted-columns.ts'
import { checkAsked, parseWhereParam, toUnknownText, type WantedWhere } from './wanted-where.ts'

/** Answers `/rest/1.0/json`: the entries of a path with their rows, streamed. */
export const readJson = async (
  context: ReadContext & { readonly toBodyOptions: ToBodyOptions },
  call: Call<Params<'readJson'>>,
): Promise<Response> => {
  const { params } = call
  const { fileSystem } = context
  const window = createRowWindow(parseRange(params.range))
  const columns = parseColumns(params.columns)
  const where = parseWhereParam(params.where)
  const status = await fileSystem.getFileStatus(parsePath(params.path))
  const headers = { ...dataHeaders, 'content-type': 'application/json' }
  if (call.method === 'HEAD') return new Response(null, { headers })
  const stop = follow(call.signal)
  const { signal } = stop
  let serializer: string | undefined
  const pieces = writeListing({
    context,
    status,
    params,
    columns,
    where,
    window,
    signal,
    onOpen: name => {
      serializer ??= name
    },
    onFailure: (path, error) => context.logger.error({ err: error, path }, 'a file could not be read as rows'),
  })
  const body = await createTextBody(pieces, context.toBodyOptions(call, stop))
  return new Response(body, { headers: { ...headers, ...toSerializerHeader(serializer) } })
}

type ListingOptions = {
  readonly context: ReadContext
  readonly status: FileStatus
  readonly params: Params<'readJson'>
  readonly columns: WantedColumns
  readonly where: WantedWhere
  readonly window: RowWindow
  readonly signal: AbortSignal
  readonly onOpen: (serializer: string) => void
  /** Called with errors that are the server's own. */
  readonly onFailure: (path: string, error: unknown) => void
}

/** Entries without rows are handed on in pieces of about this many characters. */
const pieceChars = 16_384

/**
 * Nothing is yielded until the first rows, or some entries, are ready: until then a failure decides the answer's
 * status. A connection that breaks within a file is thrown, every other error of a file goes into its entry.
 */
async function* writeListing(options: ListingOptions): AsyncGenerator<Piece, void, undefined> {
  const { context, status, params, window, signal } = options
  const layout = createListingLayout(params.pretty)
  const encoder = createJsonRowEncoder({ pretty: params.pretty })
  let text = layout.start(status.path)
  let count = 0
  const { recursive, startAfter, limit } = params
  const walked = { recursive, startAfter, signal }
  const { columns, parts } = params.content
    ? await findRowEntries(context, status, { ...walked, where: options.where })
    : { columns: undefined, parts: walk(context.fileSystem, status, walked) }
  checkAsked(options, columns)
  const isRead = (entry: FileStatus): boolean => params.content && hasRowsIn(entry, status)
  const toFirstRun = (entry: FileStatus) => (isRead(entry) ? firstRun(entry.length) : undefined)
  const { fileSystem, ahead: memory } = context
  for await (const part of openAhead(parts, {
    fileSystem,
    root: status,
    memory,
    toFirstRun,
    limit,
    filesWanted: window.filesWanted,
    signal,
  })) {
    for (const ready of part) {
      const { status: entry, error } = ready
      text += layout.entryStart(entry, count++ === 0)
      let hasRows = false
      let failure = error && toFailureText(error)
      let serializer: string | undefined
      let search: Search | undefined
      const isPassed = passTableFile(ready, window)
      if (error === undefined && !isPassed && (ready.table !== undefined || isRead(entry))) {
        const opened = await open(options, ready)
        if ('failure' in opened) failure = opened.failure
        else {
          serializer = describeReading(opened.reading)
          search = opened.search
          options.onOpen(serializer)
          try {
            for await (const rows of opened.rows) {
              if (rows.length === 0) {
                // A client whose rows are far off has to see progress.
                if (text !== '') yield text
                text = ''
                continue
              }
              for (const piece of encoder.encode(rows, !hasRows)) {
                hasRows = true
                if (typeof piece === 'string') yield text + piece
                else {
                  if (text !== '') yield text
                  yield piece
                }
                text = ''
              }
            }
          } catch (thrown) {
            failure = toEntryFailure(options, entry, thrown)
          }
          if (!status.isDirectory && search?.matched === 0) failure ??= toUnknownText(options.where)
        }
      }
      text += layout.entryEnd(entry, hasRows, { serializer, error: failure, search })
      if (text.length < pieceChars) continue
      yield text
      text = ''
    }
    if (window.isDone) break
  }
  yield text + layout.end(count > 0)
}

const isBadParameter = (error: unknown): boolean => error instanceof SluiceError && error.code === 'bad-parameter'

/** A file asked for by its own name is always read. */
const hasRowsIn = (entry: FileStatus, root: FileStatus): boolean =>
  !entry.isDirectory && (entry.path === root.path || !isHidden(entry, root))

const open = async (options: ListingOptions, entry: ReadyEntry): Promise<WantedRows | { readonly failure: string }> => {
  const { context, status, params, columns, where, window, signal } = options
  const isNamed = !status.isDirectory
  try {
    // A filter for null must find it.
    const nulls = params.nulls ?? where !== undefined
    where?.fields.clear()
    return await openWanted(context, entry, window, {
      raw: params.raw,
      nulls,
      form: toTextForm(params),
      columns,
      where,
      isNamed,
      signal,
    })
  } catch (error) {
    // The one file that was asked for: its refusal is the answer, and so is that of a column.
    if (signal.aborted || (isNamed && (!isDamage(error) || isBadParameter(error)))) throw error
    return { failure: isDamage(error) ? toEntryFailure(options, entry.status, error) : toFailureText(error) }
  }
}

const toEntryFailure = (options: ListingOptions, { path }: FileStatus, error: unknown): string => {
  const { onFailure, signal, status } = options
  // A file of a directory may vanish at any time; a broken connection does not concern one file alone.
  const isRefused = error instanceof FileSystemError && error.code !== 'unavailable' && status.isDirectory
  if (signal.aborted || !(isDamage(error) || isRefused)) throw error
  const text = toFailureText(error)
  if (!(error instanceof Error && error.message === text)) onFailure(path, error)
  return text
}
