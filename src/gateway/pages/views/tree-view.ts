import { findStatus } from '../../../filesystem/find-status.ts'
import { joinPath } from '../../../filesystem/path.ts'
import { parseColumns } from '../../rows/wanted-columns.ts'
import { NotInTable } from '../../tables/table-files.ts'
import { toNotice } from '../elements/notice.ts'
import { searchBudget } from '../find/find-rows.ts'
import { parseRowOrder } from '../find/sort-rows.ts'
import type { Page } from '../frame/layout.ts'
import { defaultPageRows, maxColumns } from '../rows/rows-page.ts'
import { readSortedTree } from '../tree/sorted-tree.ts'
import { toTreePage } from '../tree/tree-page.ts'
import { readTreeWindow } from '../tree/tree-window.ts'
import type { Notice, View, ViewOptions, ViewRequest } from './view.ts'
import { toFilter, toLinks, toMark, toPageRange, toSearchRange, tryWhere } from './view-params.ts'

/** The rows of all files below a directory. */
export const treeView: View = {
  accepts: ({ params, status }) => params.recursive && status.isDirectory,
  page: async (options, asked) => {
    const { status, params } = asked
    const { startAfter } = params
    try {
      if (!startAfter || (await findStatus(options.fileSystem, joinPath(status.path, startAfter))))
        return await toTree(options, asked)
    } catch (error) {
      if (!(error instanceof NotInTable)) throw error
    }
    const { startAfter: _gone, at: _at, range: _range, ...rest } = params
    const notice = toNotice('note', 'The file before these rows is gone: these are the newest rows.')
    return toTree(options, { ...asked, params: rest }, notice)
  },
}

const toTree = async (options: ViewOptions, asked: ViewRequest, notice?: Notice): Promise<Page> => {
  const { params, signal, status: root } = asked
  const startAfter = params.startAfter || undefined
  const { where, fault } = tryWhere(params.where)
  const places = toPageRange(params.range)
  const rows = where === undefined ? places : toSearchRange(params.range)
  const columns = parseColumns(params.columns)
  const order = parseRowOrder(params)
  const request = { columns, where, budget: searchBudget, signal }
  const sorted =
    order.by === undefined || columns?.includes(order.by) === false
      ? undefined
      : await readSortedTree(options, root, { ...request, ...places, ...order, by: order.by, mostColumns: maxColumns })
  const rowsBefore = startAfter === undefined ? 0 : Math.min(toMark(params.at)?.row ?? 0, rows.first)
  const window =
    sorted ??
    (await readTreeWindow(options, { ...request, ...rows, root, startAfter, rowsBefore, most: defaultPageRows }))
  return {
    title: `Rows below ${root.path}`,
    path: root.path,
    content: toTreePage({
      root,
      links: toLinks(asked),
      window,
      ...(sorted ? places : rows),
      columns,
      filter: toFilter(params.where, { fault, found: window.rows, unknown: where?.fields.problem }),
      order,
      place: { range: params.range, startAfter, at: params.at },
      isSearch: where !== undefined,
      notice,
    }),
    status: fault?.status ?? 200,
  }
}
