import { formatNames } from '../../../formats/name-list.ts'
import type { WantedColumns } from '../../rows/wanted-columns.ts'
import { type Query, toBrowseLink, toDataLink } from '../elements/links.ts'
import { type RowOrder, toOrderQuery } from '../find/sort-rows.ts'

/** What a page of rows shows: which rows of what, with which columns, and how they are arranged. */
export type ViewState = {
  readonly path: string
  /** Whether the rows are those of all files below a directory. */
  readonly recursive?: boolean
  /** `where` as it was typed, also when it cannot be used: a link without it would show other rows. */
  readonly where: string
  readonly columns: WantedColumns
  readonly order: RowOrder
  /** How text is read, if the caller says so. */
  readonly form: Query
}

/** All links of a page of rows, made from its state in one place, so that none forgets a part of it. */
export type ViewLinks = {
  readonly path: string
  /** The whole state, and what is given beside or instead of it: the fields of a form, with `path`. */
  readonly query: (more?: Query) => Query
  /** This page with something else. A parameter that is given as undefined is left out. */
  readonly page: (more?: Query) => string
  /** The page of one file of a directory, with the same state. */
  readonly file: (path: string, more?: Query) => string
  /** The same rows and columns for programs: in the order of the file. */
  readonly data: (endpoint: 'json' | 'text', more?: Query) => string
}

/** Makes the links of a page. */
export const createViewLinks = ({ path, recursive = false, where, columns, order, form }: ViewState): ViewLinks => {
  const rows: Query = {
    columns: columns && formatNames(columns),
    where: where.trim() === '' ? undefined : where,
    ...form,
  }
  // The newest file comes first in any case: without a column there is no other order of several files.
  const sorting = recursive && order.by === undefined ? {} : toOrderQuery(order)
  // The place comes first: what is read in an address bar.
  const below = { recursive: recursive || undefined }
  const kept: Query = { ...below, ...rows, ...sorting }
  return {
    path,
    query: more => ({ path, ...kept, ...more }),
    page: more => toBrowseLink(path, { ...below, ...more, ...kept, ...more }),
    file: (file, more) => toBrowseLink(file, { ...more, ...rows, ...sorting, ...more }),
    data: (endpoint, more) => toDataLink(endpoint, path, { ...below, ...rows, ...ways[endpoint], ...more }),
  }
}

/** The unsorted rows. */
export const unsorted: Query = { by: undefined, order: undefined }

/** CSV for spreadsheets, and JSON in which null differs from text that is empty. */
const ways: { readonly json: Query; readonly text: Query } = {
  json: { nulls: true },
  text: { header: true, safe: true },
}
