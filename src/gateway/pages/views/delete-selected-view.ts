import { toTrashPlace } from '../../trash/trash-place.ts'
import { findSelection, toDeleteSelectionPage } from '../forms/selection.ts'
import type { View } from './view.ts'

/** Asks before entries of a directory are deleted that were chosen in its listing. */
export const deleteSelectedView: View = {
  accepts: ({ params, mayWrite, status }) => params.show === 'delete-selected' && mayWrite && status.isDirectory,
  page: async ({ fileSystem, trashOf }, asked) => {
    const { path } = asked.status
    const selection = await findSelection(fileSystem, path, asked.params.select ?? [])
    const [first] = selection.found
    const place = first && trashOf && toTrashPlace(first.path, trashOf(first.path), asked)
    return { title: `Delete in ${path}?`, path, width: 'narrow', content: toDeleteSelectionPage(selection, place) }
  },
}
