import { html } from 'hono/html'
import { foreignFormat } from '../../../rows/foreign.ts'
import { parseColumns } from '../../rows/wanted-columns.ts'
import type { Preview } from '../bytes/preview.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toNotice } from '../elements/notice.ts'
import { isBinary, toUnreadablePage } from '../find/readable.ts'
import { parseRowOrder } from '../find/sort-rows.ts'
import type { Page } from '../frame/layout.ts'
import { toRowsPage } from '../rows/rows-page.ts'
import { showBytes } from './bytes-view.ts'
import { type RowsQuestion, readShown, type ShownRows } from './shown-rows.ts'
import type { Notice, View, ViewOptions, ViewRequest } from './view.ts'
import { toFilter, toLinks, toPageRange } from './view-params.ts'

/** Rows of a file as a table, or its bytes where there are no rows in it. */
export const rowsView: View = { accepts: () => true, page: (options, asked) => showRows(options, asked) }

/** Shows rows of a file. @param notice what is said above rows that are neither found nor sorted */
export const showRows = async (options: ViewOptions, asked: ViewRequest, notice?: Notice): Promise<Page> => {
  const { params } = asked
  // An error in these is not the file's fault.
  const question = { where: params.where, columns: parseColumns(params.columns) }
  parseRowOrder(params)
  toPageRange(params.range)
  try {
    const shown = await readShown(options, asked, question)
    if (shown.search || shown.sorted) return toPage(options, asked, shown)
    const toReason = toBytesReason(asked, shown)
    return toReason ? await showBytes(options, asked, 0, toReason) : toPage(options, asked, shown, notice)
  } catch (error) {
    const reason = toUnreadablePage(error)
    if (reason === undefined) throw error
    return showBytes(options, asked, 0, () => reason)
  }
}

const toPage = ({ now }: ViewOptions, asked: ViewRequest, shown: ShownRows & RowsQuestion, notice?: Notice): Page => {
  const { params, status, mayWrite, server } = asked
  const { window, fault, refusal } = shown
  const content = toRowsPage({
    ...shown,
    status,
    mayWrite,
    server,
    nowMs: now(),
    order: parseRowOrder(params),
    links: toLinks(asked, !refusal),
    filter: toFilter(params.where, { fault, found: window.rows.length, unknown: window.unknown }),
    notice: refusal ? toNotice('bad', refusal.message, html`<p>All columns are shown instead.</p>`) : notice,
  })
  return { title: status.path, path: status.path, content, status: (refusal ?? fault)?.status ?? 200 }
}

/** Why bytes are shown instead of rows; an image says itself what it is. */
type ToReason = (shown: { readonly preview?: Preview | undefined }) => Notice

/** The reason for showing the bytes of a file that is not a table; undefined for a table. */
const toBytesReason = ({ params, status }: ViewRequest, { window }: ShownRows): ToReason | undefined => {
  const { damage } = window
  if (params.show !== 'rows' && isBinary(window)) {
    return ({ preview }) => (preview?.kind === 'image' ? undefined : toBinaryNotice(status.path, preview))
  }
  if (damage?.format !== foreignFormat) return undefined
  return ({ preview }) => (preview?.kind === 'image' ? undefined : toUnreadablePage(damage))
}

/** What is said of a file that was read as text for want of anything better. */
const toBinaryNotice = (path: string, preview: Preview | undefined): Notice =>
  toNotice(
    'note',
    preview === undefined
      ? 'This is neither text nor a format that is known as rows.'
      : 'This is text, but not in UTF-8, which rows are read in.',
    html`<p>Its bytes are shown instead. <a href="${toBrowseLink(path, { show: 'rows' })}">Show it as text all the same</a></p>`,
  )
