import { bytesView } from './bytes-view.ts'
import { deleteSelectedView } from './delete-selected-view.ts'
import { deleteView } from './delete-view.ts'
import { jumpView } from './jump-view.ts'
import { listingView } from './listing-view.ts'
import { newestView } from './newest-view.ts'
import { renameView } from './rename-view.ts'
import { rowView } from './row-view.ts'
import { rowsView } from './rows-view.ts'
import { sizeView } from './size-view.ts'
import { treeView } from './tree-view.ts'
import type { View, ViewRequest } from './view.ts'

/** Those that are asked for by name come first; of what is left, the listing accepts every directory. */
const views: readonly View[] = [
  deleteView,
  deleteSelectedView,
  renameView,
  newestView,
  sizeView,
  treeView,
  listingView,
  bytesView,
  jumpView,
  rowView,
]

/** Chooses the view that answers: the first one that accepts, and for files that none accepts their rows. */
export const chooseView = (asked: ViewRequest): View => views.find(view => view.accepts(asked)) ?? rowsView
