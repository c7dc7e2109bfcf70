import { html } from 'hono/html'
import { findTableKind } from '../../tables/table-kind.ts'
import { toCountText } from '../elements/format.ts'
import { toBrowseLink } from '../elements/links.ts'
import { toNotice } from '../elements/notice.ts'
import { countRows } from '../find/count-rows.ts'
import { searchBudget } from '../find/find-rows.ts'
import { toUnreadablePage } from '../find/readable.ts'
import { toOrderQuery } from '../find/sort-rows.ts'
import { seeOther } from '../forms/forms.ts'
import { defaultPageRows } from '../rows/rows-page.ts'
import { unsorted } from '../rows/view-links.ts'
import { findNewestFile } from '../tree/newest-first.ts'
import { showListing } from './listing-view.ts'
import { showRows } from './rows-view.ts'
import type { View } from './view.ts'
import { toLinks } from './view-params.ts'

/** Leads to the last rows of the newest file; or shows how far the search got. */
export const newestView: View = {
  accepts: ({ params }) => params.show === 'newest',
  page: async (options, asked) => {
    const { fileSystem, openRows, memory, now } = options
    const { params, signal } = asked
    if (asked.status.isDirectory && (await findTableKind(fileSystem, asked.status.path, signal)))
      return seeOther(toBrowseLink(asked.status.path, { recursive: true }))
    const status = asked.status.isDirectory ? await findNewestFile(options, asked.status, signal) : asked.status
    if (status === undefined)
      return showListing(options, asked, toNotice('note', 'No file with rows was found below this directory.'))
    const links = toLinks({ params, status })
    try {
      const { rows, isCut } = await countRows(openRows, memory, { status, budget: searchBudget, now, signal })
      const range = `${Math.max(0, rows - defaultPageRows)}-${Math.max(0, rows - 1)}`
      // The newest row is the last one of the file.
      const order = toOrderQuery({ by: undefined, order: 'desc' })
      if (!isCut) return seeOther(links.page(rows === 0 ? unsorted : { range, ...order }))
      const goOn = links.page({ show: 'newest' })
      const notice = toNotice(
        'note',
        `These are not the last rows: looked at ${toCountText(rows)} so far.`,
        html`<p><a class="button" href="${goOn}">Continue</a></p>`,
      )
      return await showRows(options, { ...asked, params: { ...params, range }, status }, notice)
    } catch (error) {
      if (toUnreadablePage(error) === undefined) throw error
      return seeOther(links.page())
    }
  },
}
