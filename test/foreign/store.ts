import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Files as another program sees them, without any code of ours in between. */
export type Store = {
  /** The direct entries of a directory; empty if it does not exist. */
  list(directory: string): Promise<readonly StoredEntry[]>
  /** A file, whole. */
  read(path: string): Promise<Uint8Array>
}

export type StoredEntry = { readonly path: string; readonly isDirectory: boolean }

/** The embedded file system, read by Node itself. */
export const openLocalStore = (root: string): Store => ({
  list: async directory => {
    const entries = await readdir(join(root, directory), { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw error
      },
    )
    return entries.map(entry => ({ path: `${directory}/${entry.name}`, isDirectory: entry.isDirectory() }))
  },
  read: async path => await readFile(join(root, path)),
})

/** The paths of all files below a directory, those of temporary files and logs of collectors left out. */
export const listTree = async (store: Store, directory: string): Promise<readonly string[]> => {
  const entries = await store.list(directory)
  const below = entries.map(async ({ path, isDirectory }) => {
    if (!isDirectory) return [path]
    return /\/_(?:tmp|log)$/.test(path) ? [] : await listTree(store, path)
  })
  return (await Promise.all(below)).flat()
}
