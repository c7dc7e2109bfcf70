import { html } from 'hono/html'
import type { Markup } from '../../contract/markdown.ts'
import type { Params } from '../../contract/operations.ts'
import { SluiceError } from '../../errors.ts'
import { type FileStatus, type FileSystem, FileSystemError } from '../../filesystem/filesystem.ts'
import { isInside, joinPath, parsePath } from '../../filesystem/path.ts'
import type { Call } from '../../http/call.ts'
import { toServerAddress } from '../../http/origin.ts'
import type { Mark } from '../../rows/reading.ts'
import type { EventDirectory, ReadContext } from '../context.ts'
import { findStatus } from '../find-status.ts'
import type { MarkMemory } from '../mark-memory.ts'
import { isDrawing } from '../media-type.ts'
import { parseRange } from '../range.ts'
import type { Reads } from '../reads.ts'
import { type MountOf, toCurrent, toHome, toTrash, toTrashPlace } from '../trash-place.ts'
import { checkColumns, type KnownColumns, parseColumns, type WantedColumns } from '../wanted-columns.ts'
import { parseWhereParam, type WantedWhere } from '../wanted-where.ts'
import { type BytesView, readBytes, toBytesPage } from './bytes-page.ts'
import { countRows } from './count-rows.ts'
import { countContents, toDeletePage } from './delete-page.ts'
import { type FoundWindow, findRows, searchBudget } from './find-rows.ts'
import { toCountText } from './format.ts'
import { seeOther } from './forms.ts'
import type { Frames } from './frames.ts'
import { type Page, toPageResponse } from './layout.ts'
import { toBrowseLink } from './links.ts'
import { listEntries } from './list-entries.ts'
import { toListingPage } from './listing-page.ts'
import { findNewestFile } from './newest-first.ts'
import { toNotice } from './notice.ts'
import { openThrough } from './open-through.ts'
import type { Preview } from './preview.ts'
import { type OpenFileRows, readWindow } from './read-window.ts'
import { isBinary, toUnreadable } from './readable.ts'
import { toRenamePage } from './rename-page.ts'
import { toRowPage } from './row-page.ts'
import { defaultPageRows, maxColumns, maxPageRows, toColumnsParam, toRowsPage } from './rows-page.ts'
import { findSelection, toDeleteSelectionPage } from './selection.ts'
import { countSize } from './size-notice.ts'
import type { Server } from './snippets.ts'
import { parseRowOrder, toOrderQuery } from './sort-rows.ts'
import { toTreePage } from './tree-page.ts'
import { readTreeWindow } from './tree-window.ts'
import { toUndoAllForm, toUndoForm } from './undo-form.ts'
import { toVisibleText } from './visible-text.ts'
import { toComingPage } from './waiting-note.ts'

/** What all pages of paths are made of. */
type BrowseOptions = {
  readonly fileSystem: FileSystem
  readonly openRows: OpenFileRows
  readonly memory: MarkMemory
  readonly now: () => number
  /** Which mount keeps what of a path is deleted; undefined where nothing is kept. */
  readonly trashOf: MountOf | undefined
}

/** What decides how a page is made, beside the call. */
type Viewer = {
  readonly mayWrite: boolean
  readonly server: Server
  readonly events: EventDirectory | undefined
}

type BrowseCall = Call<Params<'browse'>>

/** What a page is asked for. */
type Asked = Pick<BrowseCall, 'params' | 'signal' | 'caller'>

/**
 * Answers `/rest/1.0/hdfs` with the page of a path, or a redirect to it: rendered here, usable without script (the
 * gateway's specification, parts 1 and 4). Rejects as the file system does.
 * @param now ms since the epoch
 * @param trashOf which mount keeps what of a path is deleted; nothing is kept where it is undefined
 */
export const createBrowse = (
  { fileSystem, openRowFile, marks: memory }: ReadContext,
  frames: Frames,
  now: () => number = Date.now,
  trashOf?: MountOf,
): Reads['browse'] => {
  const openRows: OpenFileRows = ({ status, ...more }) => openRowFile(status, { raw: false, nulls: true, ...more })
  const browse = toPageOf({ fileSystem, openRows, memory, now, trashOf })
  return async (call, _, events) => {
    const server = { address: toServerAddress(call), proof: frames.proof }
    const made = await browse(call, { mayWrite: call.caller?.has('write') === true, server, events })
    if (made instanceof Response) return made
    const consoleUrl = frames.consoleOf(call.caller, server.address)
    return await toPageResponse({ ...frames.of(call.caller, made.path ?? '/'), consoleUrl }, made)
  }
}

const toPageOf =
  (options: BrowseOptions) =>
  async (call: BrowseCall, viewer: Viewer): Promise<Page | Response> => {
    const path = parsePath(call.params.path)
    const status = await options.fileSystem.getFileStatus(path).catch(error => toComing(error, path, viewer))
    if ('content' in status) return status
    if (call.params.show === 'delete' && viewer.mayWrite && status.path !== '/') return toDelete(options, call, status)
    if (call.params.show === 'delete-selected' && viewer.mayWrite && status.isDirectory) {
      return toDeleteSelection(options, call, status.path)
    }
    if (call.params.show === 'rename' && viewer.mayWrite && status.path !== '/') return toRename(status)
    if (call.params.show === 'newest') return toNewest(options, call, status, viewer)
    if (call.params.show === 'size' && status.isDirectory) {
      const size = await countSize(options.fileSystem, status.path, call.signal)
      return toListing(options, call, status, viewer, size)
    }
    if (status.isDirectory && call.params.recursive) return toTree(options, call, status)
    if (status.isDirectory) return toListing(options, call, status, viewer, toDone(options, call, viewer))
    if (call.params.show === 'bytes') return toBytes(options, call, status, viewer, toMark(call.params.at)?.offset)
    const isPlain = call.params.show === undefined && !call.params.range && !call.params.where
    if (isPlain && isDrawing(status.path)) return toBytes(options, call, status, viewer)
    if (call.params.row === undefined) return toRows(options, call, status, viewer)
    if (call.params.show !== 'rows') return toRow(options, call, status, call.params.row)
    // The form that jumps to a row knows no range.
    const first = Math.floor(call.params.row / defaultPageRows) * defaultPageRows
    const columns = toColumnsParam(parseColumns(call.params.columns))
    const range = `${first}-${first + defaultPageRows - 1}`
    const order = toOrderQuery(parseRowOrder(call.params))
    return seeOther(`${toBrowseLink(status.path, { range, columns, ...order })}#row-${call.params.row}`)
  }

/** What is not there, and will be with the next flush perhaps. */
const toComing = (error: unknown, path: string, { events }: Viewer): Page => {
  const isMissing = error instanceof FileSystemError && error.code === 'not-found'
  if (!isMissing || events?.waiting === undefined) throw error
  return { title: path, path, status: 404, content: toComingPage(events.waiting, path) }
}

const toListing = async (
  { fileSystem, now }: BrowseOptions,
  { params, signal }: Asked,
  { path }: FileStatus,
  viewer: Viewer,
  notice?: Markup,
): Promise<Page> => {
  const { sort = 'name', filter, limit, startAfter, page } = params
  const listing = await listEntries(fileSystem, path, { ...params, sort }, signal)
  const through = await openThrough(fileSystem, listing.entries, { now, signal })
  return {
    title: path,
    path,
    content: toListingPage({
      path,
      listing,
      through,
      asked: { sort, filter, limit },
      isFirst: (startAfter ?? '') === '' && (listing.skipped ?? 0) === 0 && page === 1,
      ...viewer,
      nowMs: now(),
      notice,
    }),
  }
}

/** What a form has just done. */
const toDone = (
  { trashOf }: BrowseOptions,
  { params: { path, done, name, trashed, undo }, caller }: Asked,
  { mayWrite }: Viewer,
): Markup | undefined => {
  if (done === undefined || name === undefined) return undefined
  const heading = html`${doneWords[done]} ${toVisibleText(name)}`
  if (!trashed || !trashOf || !mayWrite) return toNotice('good', heading)
  const directory = parsePath(path)
  const current = toCurrent(toTrash(toHome(trashOf(directory), { caller })))
  // Anybody can make a link: what stands in it moves nothing but what the caller himself has deleted.
  if (!isInside(parsePath(trashed), current)) return toNotice('good', heading)
  return toNotice(
    'good',
    heading,
    done === 'trashed'
      ? toUndoForm({ trashed, directory, name })
      : undo === undefined
        ? html`<p><a class="button" href="${toBrowseLink(trashed)}">Look into the trash</a></p>`
        : toUndoAllForm(directory, undo, trashed),
  )
}

const doneWords = {
  uploaded: 'Uploaded',
  deleted: 'Deleted',
  created: 'Created',
  renamed: 'Renamed to',
  moved: 'Moved here:',
  trashed: 'Moved to the trash:',
  'trashed-selected': 'Moved to the trash:',
  restored: 'Put back:',
} as const

/** Leads to the last rows of the newest file; or shows how far that was looked for. */
const toNewest = async (
  options: BrowseOptions,
  call: Asked,
  status: FileStatus,
  viewer: Viewer,
): Promise<Page | Response> => {
  const { fileSystem, openRows, memory, now } = options
  const { params, signal } = call
  const file = status.isDirectory ? await findNewestFile(fileSystem, status, signal) : status
  if (file === undefined)
    return toListing(
      options,
      call,
      status,
      viewer,
      toNotice('note', 'No file with rows was found below this directory.'),
    )
  const columns = toColumnsParam(parseColumns(params.columns))
  try {
    const { rows, isCut } = await countRows(openRows, memory, { status: file, budget: searchBudget, now, signal })
    const range = `${Math.max(0, rows - defaultPageRows)}-${Math.max(0, rows - 1)}`
    const asked = parseRowOrder(params)
    // The newest row is the last one of the file.
    const order = toOrderQuery(asked.by === undefined ? { ...asked, order: 'desc' } : asked)
    if (!isCut) return seeOther(toBrowseLink(file.path, rows === 0 ? { columns } : { range, columns, ...order }))
    const goOn = toBrowseLink(file.path, { show: 'newest', columns, ...toOrderQuery(asked) })
    const notice = toNotice(
      'note',
      `These are not the last rows: looked at ${toCountText(rows)} so far.`,
      html`<p><a class="button" href="${goOn}">Go on</a></p>`,
    )
    return await toRows(options, { params: { ...params, range }, signal, caller: call.caller }, file, viewer, notice)
  } catch (error) {
    if (toUnreadable(error) === undefined) throw error
    return seeOther(toBrowseLink(file.path))
  }
}

const toRename = ({ path }: FileStatus): Page => ({
  title: `Rename ${path}`,
  path,
  width: 'narrow',
  content: toRenamePage(path),
})

const toRows = async (
  options: BrowseOptions,
  call: Asked,
  status: FileStatus,
  viewer: Viewer,
  hint?: Markup,
): Promise<Page> => {
  const { openRows, memory, now } = options
  const { params, signal } = call
  const { first, last, width } = toAsked(params.range)
  const at = toMark(params.at)
  const wanted = parseColumns(params.columns)
  const order = parseRowOrder(params)
  const { path } = status
  try {
    const search = await trySearch(options, call, status)
    if (search && !(search instanceof SluiceError)) return toFound(options, call, status, viewer, search)
    const filter = { text: params.where ?? '', fault: search?.message.replace(/^Parameter "where": /, '') }
    const read = (columns: WantedColumns) =>
      readWindow(openRows, memory, { status, first, last, at, columns, mostColumns: maxColumns, signal })
    const asked = await read(wanted)
    const refusal = toRefusal(wanted, asked)
    const [window, columns] = refusal ? [await read(undefined), undefined] : [asked, wanted]
    if (params.show !== 'rows' && isBinary(window)) {
      return await toBytes(options, call, status, viewer, 0, ({ preview }) => toBinaryNotice(status, preview))
    }
    const place = { first: window.rows.length > 0 ? window.first : first, width, at: at ?? memory.find(status, first) }
    const notice = refusal ? toNotice('bad', refusal.message, html`<p>All columns are shown instead.</p>`) : hint
    const content = toRowsPage({ status, ...viewer, nowMs: now(), window, columns, filter, order, notice, ...place })
    return { title: path, path, content, status: (refusal ?? search)?.status ?? 200 }
  } catch (error) {
    const notice = toUnreadable(error)
    if (notice === undefined) throw error
    return toBytes(options, call, status, viewer, 0, () => notice)
  }
}

/** Looks for the rows of one page, where that is asked for; what is wrong with it is told on the page of all rows. */
const trySearch = async (
  { openRows, memory, fileSystem, now }: BrowseOptions,
  { params, signal }: Asked,
  status: FileStatus,
): Promise<FoundWindow | SluiceError | undefined> => {
  try {
    const where = parseWhereParam(params.where)
    if (where === undefined) return undefined
    return await findRows(openRows, memory, fileSystem, {
      ...parseRange(params.range),
      status,
      at: toMark(params.at),
      columns: parseColumns(params.columns),
      mostColumns: maxColumns,
      where,
      most: defaultPageRows,
      budget: searchBudget,
      now,
      signal,
    })
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'bad-parameter') return error
    throw error
  }
}

const toFound = (
  { memory, now }: BrowseOptions,
  { params }: Asked,
  status: FileStatus,
  viewer: Viewer,
  search: FoundWindow,
): Page => {
  const { path } = status
  const { first, last } = parseRange(params.range)
  const wanted = parseColumns(params.columns)
  const refusal = toRefusal(wanted, search)
  const content = toRowsPage({
    ...viewer,
    status,
    nowMs: now(),
    window: search,
    first,
    width: defaultPageRows,
    at: toMark(params.at) ?? memory.find(status, first),
    columns: refusal ? undefined : wanted,
    filter: { text: params.where ?? '' },
    order: parseRowOrder(params),
    search: { ...search, last },
    notice: refusal && toNotice('bad', refusal.message, html`<p>All columns are shown instead.</p>`),
  })
  return { title: path, path, content, status: refusal?.status ?? 200 }
}

/** Why a file cannot have the columns, perhaps. */
const toRefusal = (columns: WantedColumns, window: KnownColumns): SluiceError | undefined => {
  try {
    checkColumns(columns, window)
    return undefined
  } catch (error) {
    if (error instanceof SluiceError) return error
    throw error
  }
}

const toTree = async (
  options: BrowseOptions,
  { params, signal }: Asked,
  root: FileStatus,
  notice?: Markup,
): Promise<Page> => {
  const { where, fault } = tryWhere(params.where)
  const { first, last, width } =
    where === undefined ? toAsked(params.range) : { ...parseRange(params.range), width: defaultPageRows }
  const startAfter = params.startAfter === '' ? undefined : params.startAfter
  if (startAfter !== undefined && !(await findStatus(options.fileSystem, joinPath(root.path, startAfter)))) {
    const { startAfter: _gone, at: _at, range: _range, ...rest } = params
    return toTree(
      options,
      { params: rest, signal },
      root,
      toNotice('note', 'The file before these rows is gone: these are the newest rows.'),
    )
  }
  const rowsBefore = startAfter === undefined ? 0 : Math.min(toMark(params.at)?.row ?? 0, first)
  const columns = parseColumns(params.columns)
  const order = parseRowOrder(params)
  const budget = searchBudget
  const request = { root, first, last, startAfter, rowsBefore, columns, where, most: defaultPageRows, budget, signal }
  const window = await readTreeWindow(options, request)
  const filter = { text: params.where ?? '', fault: fault?.message.replace(/^Parameter "where": /, '') }
  const place = { range: params.range, startAfter, at: params.at, where: params.where }
  return {
    title: `Rows below ${root.path}`,
    path: root.path,
    content: toTreePage({
      root,
      window,
      first,
      width,
      columns,
      filter,
      order,
      place,
      isSearch: where !== undefined,
      notice,
    }),
    status: fault?.status ?? 200,
  }
}

/** What `where` says, or what is wrong with it. */
const tryWhere = (text: string | undefined): { readonly where?: WantedWhere; readonly fault?: SluiceError } => {
  try {
    return { where: parseWhereParam(text) }
  } catch (error) {
    if (error instanceof SluiceError && error.code === 'bad-parameter') return { fault: error }
    throw error
  }
}

/** Why the bytes are shown of what was read as text for want of anything better; an image says it itself. */
const toBinaryNotice = ({ path }: FileStatus, preview: Preview | undefined): Markup | undefined => {
  if (preview?.kind === 'image') return undefined
  return toNotice(
    'note',
    preview === undefined
      ? 'This is neither text nor a format that is known as rows.'
      : 'This is text, but not in UTF-8, which rows are read in.',
    html`<p>Its bytes are shown instead. <a href="${toBrowseLink(path, { show: 'rows' })}">Show it as text all the same</a></p>`,
  )
}

const toRow = async (
  { openRows, memory }: BrowseOptions,
  { params, signal }: Asked,
  status: FileStatus,
  row: number,
): Promise<Page> => {
  const at = toMark(params.at)
  const columns = parseColumns(params.columns)
  const window = await readWindow(openRows, memory, { status, first: row, last: row, at, signal })
  return {
    title: `Row ${row} of ${status.path}`,
    path: status.path,
    content: toRowPage({ status, row, window, at: at ?? memory.find(status, row), columns }),
    status: window.rows.length === 0 ? 404 : 200,
  }
}

const toBytes = async (
  { fileSystem, now }: BrowseOptions,
  { signal }: Asked,
  status: FileStatus,
  viewer: Viewer,
  offset = 0,
  toReason: (shown: Pick<BytesView, 'preview'>) => Markup | undefined = () => undefined,
): Promise<Page> => {
  const { path } = status
  const shown = await readBytes(fileSystem, status, offset, signal)
  const notice = toReason(shown)
  return { title: path, path, content: toBytesPage({ status, nowMs: now(), ...viewer, ...shown, notice }) }
}

const toDelete = async (
  { fileSystem, now, trashOf }: BrowseOptions,
  call: Asked,
  status: FileStatus,
): Promise<Page> => {
  const { signal } = call
  const contents = status.isDirectory ? await countContents(fileSystem, status.path, signal) : undefined
  return {
    title: `Delete ${status.path}?`,
    path: status.path,
    width: 'narrow',
    content: toDeletePage(status, contents, trashOf && toTrashPlace(status.path, trashOf(status.path), call), now()),
  }
}

const toDeleteSelection = async ({ fileSystem, trashOf }: BrowseOptions, call: Asked, path: string): Promise<Page> => {
  const selection = await findSelection(fileSystem, path, call.params.select ?? [])
  const [first] = selection.found
  const place = first && trashOf && toTrashPlace(first.path, trashOf(first.path), call)
  return { title: `Delete in ${path}?`, path, width: 'narrow', content: toDeleteSelectionPage(selection, place) }
}

/** The rows of one page: what `range` says, and never more than a page holds. */
const toAsked = (
  range: string | undefined,
): { readonly first: number; readonly last: number; readonly width: number } => {
  const { first, last } = range ? parseRange(range) : { first: 0, last: defaultPageRows - 1 }
  const width = Math.min(last - first + 1, maxPageRows)
  return { first, last: first + width - 1, width }
}

/** The contract has checked the form of it. */
const toMark = (at: string | undefined): Mark | undefined => {
  const [row, offset] = at ? at.split('-').map(Number) : []
  return row === undefined || offset === undefined ? undefined : { row, offset }
}
