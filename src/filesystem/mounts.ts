import type { Directories, FileSystem } from './filesystem.ts'
import type { HadoopVerbs } from './hadoop-verbs.ts'
import { createMountAppends } from './mounts/appends.ts'
import { createSummarizer } from './mounts/content-summary.ts'
import { createMountDirectories } from './mounts/directories.ts'
import { createMountFiles } from './mounts/files.ts'
import { createMountListing } from './mounts/listing.ts'
import { createMountPassOn } from './mounts/pass-on.ts'
import { createPublish } from './mounts/publish.ts'
import { createMountRoutes, type MountedFileSystem } from './mounts/routes.ts'
import { createMountUploads } from './mounts/uploads.ts'
import { createVerbs } from './mounts/verbs.ts'
import { parsePath } from './path.ts'
import { createUserViews } from './views.ts'

/** One name space over several file systems. */
export type MountTable = FileSystem & {
  readonly directories: Directories
  readonly hadoop: HadoopVerbs
  /** All mount points, `/` first. */
  readonly mountPoints: readonly string[]
  /** The mount point that serves a path, `/` for the default file system. Never throws. */
  readonly mountOf: (path: string) => string
  /** The address of the file system that serves a path, for people. Never throws. */
  readonly urlOf: (path: string) => string
  /** Which way the file system that serves a path is spoken to and why; empty where there is one way. Never throws. */
  readonly wayOf: (path: string) => string
  /** Why the file system that serves a path did not answer the last call; empty when it did. Makes no call. */
  readonly problemOf: (path: string) => string
}

/**
 * Routes each call to the file system whose mount point is the longest one above its path; everything else goes to
 * `root`. Only calls that touch a file system depend on it: one that is unavailable fails its own paths and no others,
 * and a listing shows mount points without asking what is behind them. Directories on the way to a mount point exist
 * even if they do not exist in `root`.
 */
export const createMountTable = (root: FileSystem, mounts: readonly MountedFileSystem[]): MountTable =>
  createOver(root, mounts, new Map())

/** @param problems why file systems did not answer; for all on whose behalf they are asked */
const createOver = (
  root: FileSystem,
  mounts: readonly MountedFileSystem[],
  problems: Map<string, string>,
): MountTable => {
  const routes = createMountRoutes(root, mounts, problems)
  const { toTarget, at, refuseMount } = routes
  const all = [root, ...mounts.map(({ fileSystem }) => fileSystem)]

  return {
    url: root.url,
    mountPoints: ['/', ...mounts.map(({ path }) => path)],
    mountOf: text => toTarget(text.replace(/\/{2,}/g, '/')).mount,
    urlOf: text => toTarget(text.replace(/\/{2,}/g, '/')).fileSystem.url,
    wayOf: text => toTarget(text.replace(/\/{2,}/g, '/')).fileSystem.spokenBy?.() ?? '',
    problemOf: text => problems.get(toTarget(text.replace(/\/{2,}/g, '/')).mount) ?? '',
    ...createMountFiles(routes),
    ...createPublish(routes),
    listStatus: createMountListing(routes),

    delete: async (text, options) => {
      const path = parsePath(text)
      if (path !== '/') refuseMount('delete', path)
      return await at(path, (fileSystem, inner) => fileSystem.delete(inner, options))
    },

    ...(all.some(({ as }) => as) && {
      as: createUserViews(user => {
        const views = mounts.map(({ path, fileSystem }) => ({ path, fileSystem: fileSystem.as?.(user) ?? fileSystem }))
        return createOver(root.as?.(user) ?? root, views, problems)
      }),
    }),
    directories: createMountDirectories(routes),
    ...(all.some(({ appends }) => appends) && { appends: createMountAppends(routes) }),
    ...(all.some(({ uploads }) => uploads) && { uploads: createMountUploads(routes) }),
    hadoop: {
      ...createVerbs(root, routes),
      getContentSummary: createSummarizer(routes),
      webHdfs: createMountPassOn(routes),
    },

    probe: () => root.probe(),
    close: async () => {
      await Promise.all(all.map(one => one.close()))
    },
  }
}
