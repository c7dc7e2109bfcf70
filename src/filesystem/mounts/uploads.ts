import type { Uploads } from '../filesystem.ts'
import { parsePath } from '../path.ts'
import { type MountRoutes, toOuterPath } from './routes.ts'

/** Uploads of the file system that serves a directory; none if it does not support them. */
export const createMountUploads = ({ at }: MountRoutes): Uploads => ({
  giveUp: async (text, isLeftOver, options) =>
    await at(
      parsePath(text),
      async (fileSystem, inner, mount) =>
        (await fileSystem.uploads?.giveUp(inner, (path, age) => isLeftOver(toOuterPath(mount, path), age), options)) ??
        0,
      options?.signal,
    ),
})
