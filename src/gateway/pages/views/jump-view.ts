import { seeOther } from '../forms/forms.ts'
import { defaultPageRows } from '../rows/rows-page.ts'
import { unsorted } from '../rows/view-links.ts'
import type { View } from './view.ts'
import { toLinks } from './view-params.ts'

/** Leads to a row among those around it: the form that jumps to a row knows no range. */
export const jumpView: View = {
  accepts: ({ params: { show, row } }) => show === 'rows' && row !== undefined,
  page: (_, asked) => {
    const { row = 0 } = asked.params
    const first = Math.floor(row / defaultPageRows) * defaultPageRows
    const range = `${first}-${first + defaultPageRows - 1}`
    return seeOther(`${toLinks(asked).page({ range, ...unsorted })}#row-${row}`)
  },
}
