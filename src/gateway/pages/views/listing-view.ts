import { html } from 'hono/html'
import { isInside, parsePath } from '../../../filesystem/path.ts'
import { toCurrent, toHome, toTrash } from '../../trash/trash-place.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toNotice } from '../elements/notice.ts'
import { toVisibleText } from '../elements/visible-text.ts'
import { toUndoAllForm, toUndoForm } from '../forms/undo-form.ts'
import type { Page } from '../frame/layout.ts'
import { listEntries } from '../listing/list-entries.ts'
import { toListingPage } from '../listing/listing-page.ts'
import { openThrough } from '../listing/open-through.ts'
import { readTableFacts } from '../table/table-facts.ts'
import type { Notice, View, ViewOptions, ViewRequest } from './view.ts'

/** The entries of a directory. */
export const listingView: View = {
  accepts: ({ status }) => status.isDirectory,
  page: (options, asked) => showListing(options, asked, toDone(options, asked)),
}

/** Lists a directory. @param notice what is said above the entries */
export const showListing = async (
  { fileSystem, tables, now }: ViewOptions,
  asked: ViewRequest,
  notice: Notice,
): Promise<Page> => {
  const { params, signal, mayWrite, server } = asked
  const { path } = asked.status
  const { sort = 'name', filter, limit, startAfter, page } = params
  const listing = await listEntries(fileSystem, path, { ...params, sort }, signal)
  const isFirst = (startAfter ?? '') === '' && (listing.skipped ?? 0) === 0 && page === 1
  const [through, table] = await Promise.all([
    openThrough(fileSystem, listing.entries, { now, signal }),
    isFirst && !filter && path !== '/' ? readTableFacts({ fileSystem, tables }, path, { now, signal }) : undefined,
  ])
  return {
    title: path,
    path,
    content: toListingPage({
      path,
      listing,
      through,
      asked: { sort, filter, limit },
      isFirst,
      mayWrite,
      server,
      events: params.events,
      table,
      nowMs: now(),
      notice,
    }),
  }
}

/** What a form has just done. */
const toDone = ({ trashOf }: ViewOptions, { params, caller, mayWrite }: ViewRequest): Notice => {
  const { path, done, name, trashed, undo } = params
  if (done === undefined || name === undefined) return undefined
  const heading = html`${doneWords[done]} ${toVisibleText(name)}`
  if (!trashed || !trashOf || !mayWrite) return toNotice('good', heading)
  const directory = parsePath(path)
  const current = toCurrent(toTrash(toHome(trashOf(directory), { caller })))
  // Links can be forged: this one can only restore what the caller himself has deleted.
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
