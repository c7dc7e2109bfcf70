/**
 * A cluster by its own protocol where that is spoken, else by WebHDFS:
 *
 *     the name node does not answer it, and does answer WebHDFS     all goes by WebHDFS for a while
 *     a data node cannot be reached, or wants another protection    bytes go by WebHDFS for a while, of this read too
 *
 * Each change of the way is one line in the log, with the reason.
 */
import { isNotSent, remoteOf } from './cluster/remote-exception.ts'
import { type CallVerb, wrapFacet } from './facets.ts'
import { type Directories, type FileSystem, FileSystemError, type OpenFile } from './filesystem.ts'
import type { HadoopVerbs } from './hadoop-verbs.ts'
import { SaslError } from './hdfs/tokens/digest-md5.ts'
import { openFile } from './open-file.ts'
import { createUserViews } from './views.ts'

/** Hears which way a cluster is spoken to, and why. */
export type WayLog = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

export type EitherWayOptions = {
  /** Closes both. */
  readonly native: FileSystem
  readonly webHdfs: FileSystem
  readonly log: WayLog
  /** Monotonic, in ms. @default performance.now */
  readonly now?: () => number
}

/** How long a way that failed is left. */
const leaveMs = 60_000

/** Makes it; nothing is asked of the cluster before the first call. */
export const createEitherWay = (options: EitherWayOptions): FileSystem => {
  const way = createWay(options)
  const { native, webHdfs } = options
  const own = createOver(native, webHdfs, way)
  return {
    ...own,
    ...(native.as && {
      as: createUserViews(user => createOver(native.as?.(user) ?? native, webHdfs.as?.(user) ?? webHdfs, way)),
    }),
    close: () => native.close(),
  }
}

type Way = {
  /** Whether the name node speaks the native protocol, as far as is known. */
  isNative(): Promise<boolean>
  /** Whether data nodes do. */
  reachesData(): boolean
  /** Hears why bytes could not be moved; true where WebHDFS is worth a try. */
  failed(error: unknown): boolean
}

const createWay = ({ native, webHdfs, log, now = () => performance.now() }: EitherWayOptions): Way => {
  let decided: Promise<boolean> | undefined
  let decideAgainAt = 0
  let dataFrom = 0
  let told: string | undefined
  const tell = (way: string, fields = {}): void => {
    if (told === way) return
    told = way
    const message = `${native.url} is spoken to by ${way}`
    if (way === words.native) log.info(fields, message)
    else log.warn(fields, message)
  }

  const decide = async (): Promise<boolean> => {
    decideAgainAt = Number.POSITIVE_INFINITY
    const refused = await native.probe().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refused === undefined || !isOtherWay(refused)) {
      tell(words.native)
      return true
    }
    decideAgainAt = now() + leaveMs
    const isThere = await webHdfs.probe().then(
      () => true,
      () => false,
    )
    // Where neither answers the cluster is down, which says nothing of the way.
    if (isThere) tell(words.webHdfs, { err: refused })
    else decideAgainAt = 0
    return false
  }

  return {
    isNative: async () => {
      if (decided === undefined || now() >= decideAgainAt) decided = decide()
      return await decided
    },
    reachesData: () => now() >= dataFrom,
    failed: error => {
      if (!isUnreachable(error)) return false
      dataFrom = now() + leaveMs
      tell(words.data, { err: error })
      return true
    },
  }
}

const words = {
  native: 'its own protocol',
  webHdfs: 'WebHDFS',
  data: 'its own protocol for names, and by WebHDFS for bytes',
}

/** Whether a name node that refuses may take calls of WebHDFS: it did not answer, or does not take us like this. */
const isOtherWay = (error: unknown): boolean => {
  const remote = remoteOf(error)
  return remote === undefined || /authentication is not enabled/.test(remote.message)
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof FileSystemError &&
  error.code === 'unavailable' &&
  (error.cause instanceof SaslError || isNotSent(error.cause))

/** The file system of one caller. */
const createOver = (native: FileSystem, webHdfs: FileSystem, way: Way): FileSystem => {
  const choose = async (): Promise<FileSystem> => ((await way.isNative()) ? native : webHdfs)
  const chooseForBytes = async (): Promise<FileSystem> =>
    (await way.isNative()) && way.reachesData() ? native : webHdfs
  const written = async <T>(call: (fileSystem: FileSystem) => Promise<T>): Promise<T> => {
    const chosen = await chooseForBytes()
    return await call(chosen).catch((error: unknown) => {
      // A part of the source is gone: the next attempt goes the other way.
      if (chosen === native) way.failed(error)
      throw error
    })
  }
  const open: FileSystem['open'] = async (path, options) => {
    const chosen = await chooseForBytes()
    return await chosen.open(path, options).catch((error: unknown) => {
      if (chosen === native && way.failed(error)) return webHdfs.open(path, options)
      throw error
    })
  }
  const writes = new Set<string>(['create', 'append'])
  const around = async (verb: string, args: readonly unknown[], call: CallVerb<object>): Promise<unknown> => {
    const facetOf = ({ hadoop = {} }: FileSystem): object => hadoop
    if (writes.has(verb)) return await written(fileSystem => call(facetOf(fileSystem), args))
    return await call(facetOf(await choose()), args)
  }
  const directories: Directories = {
    mkdirs: async (...args) => await (await choose()).directories?.mkdirs(...args),
    rename: async (...args) => await (await choose()).directories?.rename(...args),
  }
  return {
    url: native.url,
    publish: (...args) => written(fileSystem => fileSystem.publish(...args)),
    settle: async (...args) => await (await choose()).settle(...args),
    open,
    openFile: async (path): Promise<OpenFile> => {
      const chosen = await chooseForBytes()
      const opened = await openFile(chosen, path)
      const read: OpenFile['read'] = options =>
        opened.read(options).catch((error: unknown) => {
          if (chosen === native && way.failed(error)) return webHdfs.open(path, options)
          throw error
        })
      return { ...opened, read }
    },
    getFileStatus: async path => await (await choose()).getFileStatus(path),
    listStatus: async function* (path, options) {
      yield* (await choose()).listStatus(path, options)
    },
    delete: async (...args) => await (await choose()).delete(...args),
    directories,
    hadoop: wrapFacet<Partial<HadoopVerbs>>(native.hadoop ?? {}, around),
    probe: async () => await (await choose()).probe(),
    close: () => native.close(),
  }
}
