import { toRenamePage } from '../forms/rename-page.ts'
import type { View } from './view.ts'

/** Asks for a new name, or another directory. */
export const renameView: View = {
  accepts: ({ params, mayWrite, status }) => params.show === 'rename' && mayWrite && status.path !== '/',
  page: (_, { status: { path } }) => ({ title: `Rename ${path}`, path, width: 'narrow', content: toRenamePage(path) }),
}
