import { wrapFacet } from './facets.ts'
import { type Directories, type FileStatus, type FileSystem, FileSystemError } from './filesystem.ts'
import type { HadoopVerbs } from './hadoop-verbs.ts'
import type { MountTable } from './mounts.ts'
import { openFile } from './open-file.ts'
import { baseName, isInside, parentPath, parsePath } from './path.ts'
import { createUserViews } from './views.ts'

/**
 * The same name space without a directory: no listing shows it, no call reads or changes what is in it, and what holds it is
 * neither deleted nor renamed while it is there. Only sums of space over what holds it count it.
 * @param whose what it holds, for people
 */
export const hideDirectory = (fileSystem: MountTable, directory: string, whose: string): MountTable => {
  const rule = createRule(fileSystem, parsePath(directory), whose)
  const { directories, hadoop } = fileSystem
  return {
    ...fileSystem,
    ...hideFrom(fileSystem, rule),
    directories: guardDirectories(directories, rule),
    hadoop: guardHadoop(hadoop, rule),
  }
}

type Rule = {
  /** @throws FileSystemError `denied` for what is hidden */
  readonly check: (path: string) => void
  /** As `check`, and for what holds what is hidden, while it is there. */
  readonly checkTree: (path: string) => Promise<void>
  /** The name that a listing of a directory leaves out; undefined where it shows all. */
  readonly hiddenIn: (path: string) => string | undefined
}

/** The same path now, of one in a snapshot. */
const withoutSnapshot = (path: string): string => path.replace(/\/\.snapshot\/[^/]+/, '')

/** @param fileSystem knows whether it exists */
const createRule = (fileSystem: MountTable, hidden: string, whose: string): Rule => {
  /** HDFS has further names for all that it holds, below its root, which is that of a mount here. */
  const reserved = fileSystem.mountPoints
    .filter(point => !fileSystem.urlOf(point).startsWith('file:'))
    .map(point => `${point === '/' ? '' : point}/.reserved`)
  const check = (text: string): void => {
    const path = parsePath(text)
    if (isInside(withoutSnapshot(path), hidden) || reserved.some(one => isInside(path, one)))
      throw denied('use', path, `${whose} are hidden here, and cannot be changed`)
  }
  return {
    check,
    hiddenIn: text => (withoutSnapshot(parsePath(text)) === parentPath(hidden) ? baseName(hidden) : undefined),
    checkTree: async text => {
      check(text)
      const path = parsePath(text)
      if (!isInside(hidden, path) || (await isMissing(fileSystem.getFileStatus(hidden)))) return
      throw denied('delete or rename', path, `"${hidden}" in it holds ${whose}`)
    },
  }
}

const denied = (action: string, path: string, reason: string): FileSystemError =>
  new FileSystemError('denied', path, `Cannot ${action} "${path}": ${reason}`)

const isMissing = (status: Promise<FileStatus>): Promise<boolean> =>
  status.then(
    () => false,
    (error: unknown) => {
      if (error instanceof FileSystemError && error.code === 'not-found') return true
      throw error
    },
  )

const hideFrom = (fileSystem: FileSystem, rule: Rule): FileSystem => {
  const { check, checkTree } = rule
  const { directories, hadoop, appends, uploads, as } = fileSystem
  return {
    ...fileSystem,
    publish: async (path, source, options) => {
      check(path)
      return await fileSystem.publish(path, source, options)
    },
    settle: async (path, attempt, options) => {
      check(path)
      return await fileSystem.settle(path, attempt, options)
    },
    open: async (path, options) => {
      check(path)
      return await fileSystem.open(path, options)
    },
    openFile: async path => {
      check(path)
      return await openFile(fileSystem, path)
    },
    getFileStatus: async path => {
      check(path)
      return await fileSystem.getFileStatus(path)
    },
    async *listStatus(path, options) {
      check(path)
      const name = rule.hiddenIn(path)
      if (name === undefined) return yield* fileSystem.listStatus(path, options)
      for await (const part of fileSystem.listStatus(path, options)) {
        const shown = part.filter(entry => baseName(entry.path) !== name)
        if (shown.length > 0) yield shown
      }
    },
    delete: async (path, options) => {
      await checkTree(path)
      return await fileSystem.delete(path, options)
    },
    ...(directories && { directories: guardDirectories(directories, rule) }),
    ...(hadoop && { hadoop: guardHadoop(hadoop, rule) }),
    ...(appends && { appends: guardPaths(appends, rule) }),
    ...(uploads && {
      uploads: {
        giveUp: async (directory, isLeftOver, options) => {
          await checkTree(directory)
          return await uploads.giveUp(directory, isLeftOver, options)
        },
      },
    }),
    ...(as && { as: createUserViews(user => hideFrom(as(user), rule)) }),
  }
}

const guardDirectories = (directories: Directories, { check, checkTree }: Rule): Directories => ({
  mkdirs: async (path, options) => {
    check(path)
    await directories.mkdirs(path, options)
  },
  rename: async (source, target, options) => {
    await checkTree(source)
    check(target)
    await directories.rename(source, target, options)
  },
})

const guardHadoop = <Verbs extends Partial<HadoopVerbs>>(hadoop: Verbs, rule: Rule): Verbs => {
  const { webHdfs } = hadoop
  if (!webHdfs) return guardPaths(hadoop, rule)
  const passOn: HadoopVerbs['webHdfs'] = async operation => {
    for (const path of [operation.path, ...operation.params.flatMap(toOtherPaths)]) rule.check(path)
    return await webHdfs(operation)
  }
  return guardPaths({ ...hadoop, webHdfs: passOn }, rule)
}

/** Hadoop knows the names in any case. */
const toOtherPaths = ([name, value]: readonly [name: string, value: string]): readonly string[] => {
  const known = name.toLowerCase()
  return known === 'sources' ? value.split(',') : known === 'destination' ? [value] : []
}

/** The path is what each verb takes first. */
const guardPaths = <Facet extends object>(facet: Facet, { check }: Rule): Facet =>
  wrapFacet(facet, async (_, args, call) => {
    const [path] = args
    if (typeof path === 'string') check(path)
    return await call(facet, args)
  })
