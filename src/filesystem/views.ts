import type { FileSystem } from './filesystem.ts'

/** Users on whose behalf a file system is kept; the one that was asked for least recently makes room. */
const maxViews = 1_000

/** Makes the `as` of a file system: the same view each time, for as long as a user returns. */
export const createUserViews = (create: (user: string) => FileSystem): NonNullable<FileSystem['as']> => {
  const views = new Map<string, FileSystem>()
  return user => {
    const view = views.get(user) ?? create(user)
    views.delete(user)
    views.set(user, view)
    const [oldest] = views.keys()
    if (views.size > maxViews && oldest !== undefined) views.delete(oldest)
    return view
  }
}
