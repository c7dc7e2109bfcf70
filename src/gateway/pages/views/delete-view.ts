import { toTrashPlace } from '../../trash/trash-place.ts'
import { countContents, toDeletePage } from '../forms/delete-page.ts'
import type { View } from './view.ts'

/** Asks before a file or a directory is deleted. */
export const deleteView: View = {
  accepts: ({ params, mayWrite, status }) => params.show === 'delete' && mayWrite && status.path !== '/',
  page: async ({ fileSystem, now, trashOf }, asked) => {
    const { status, signal } = asked
    const { path, isDirectory } = status
    const contents = isDirectory ? await countContents(fileSystem, path, signal) : undefined
    const place = trashOf && toTrashPlace(path, trashOf(path), asked)
    return { title: `Delete ${path}?`, path, width: 'narrow', content: toDeletePage(status, contents, place, now()) }
  },
}
