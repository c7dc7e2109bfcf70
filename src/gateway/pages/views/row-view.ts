import { readWindow } from '../find/read-window.ts'
import { toRowPage } from '../rows/row-page.ts'
import type { View } from './view.ts'
import { toLinks, toMark } from './view-params.ts'

/** One row as a whole. */
export const rowView: View = {
  accepts: ({ params }) => params.row !== undefined,
  page: async ({ openRows, memory }, asked) => {
    const { params, status, signal } = asked
    const { row = 0 } = params
    const at = toMark(params.at)
    const window = await readWindow(openRows, memory, { status, first: row, last: row, at, signal })
    return {
      title: `Row ${row} of ${status.path}`,
      path: status.path,
      content: toRowPage({ status, row, window, at: at ?? memory.find(status, row), links: toLinks(asked) }),
      status: window.rows.length === 0 ? 404 : 200,
    }
  },
}
