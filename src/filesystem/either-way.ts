/** A cluster by its own protocol where that is spoken, else by WebHDFS; `way.ts` decides which. */
import type { Appends } from './appends.ts'
import { remoteOf } from './cluster/remote-exception.ts'
import { refusal } from './cluster/steps.ts'
import { appendsOf, type CallVerb, wrapFacet } from './facets.ts'
import type { Directories, FileSystem, OpenFile } from './filesystem.ts'
import type { HadoopVerbs } from './hadoop-verbs.ts'
import { openFile } from './open-file.ts'
import { parsePath } from './path.ts'
import { createUserViews } from './views.ts'
import { createWay, type Way, type WayName, type WayOptions } from './way.ts'

export type EitherWayOptions = Omit<WayOptions, 'native' | 'webHdfs'> & {
  /** Closes both. */
  readonly native: FileSystem
  readonly webHdfs: FileSystem
  /** How many times data nodes have begun to take or send bytes of `native`: an empty file needs none. */
  readonly transfers: () => number
}

/** Makes it; nothing is asked of the cluster before the first call. */
export const createEitherWay = (options: EitherWayOptions): FileSystem => {
  const way = createWay(options)
  const { native, webHdfs, transfers } = options
  const { as } = native
  const own = createOver({ native, webHdfs }, way, transfers)
  return {
    ...own,
    ...(as && {
      as: createUserViews(user => {
        const by = { native: as(user), webHdfs: webHdfs.as?.(user) ?? webHdfs }
        return createOver(by, createUserWay(way, by.native), transfers)
      }),
    }),
    close: () => native.close(),
  }
}

/** The way of one user: name nodes may take no calls on his behalf where an HttpFS does. They are asked once. */
const createUserWay = (way: Way, native: Pick<FileSystem, 'probe'>): Way => {
  let letIn: Promise<boolean> | undefined
  const ask = async (): Promise<boolean> => {
    try {
      await native.probe()
    } catch (error) {
      if (remoteOf(error)?.exception === 'AuthorizationException') return false
      letIn = undefined
    }
    return true
  }
  const isTaken = (): Promise<boolean> => {
    letIn ??= ask()
    return letIn
  }
  const isLetIn = async (): Promise<boolean> => (await way.forNames()) !== 'webHdfs' && (await isTaken())
  return {
    ...way,
    forNames: async () => ((await isLetIn()) ? 'native' : 'webHdfs'),
    forBytes: async () => ((await isLetIn()) ? await way.forBytes() : 'webHdfs'),
    whyNotOpen: async () => {
      const why = await way.whyNotOpen()
      if (why !== '') return why
      return (await isTaken()) ? '' : 'WebHDFS: its name nodes take no calls on behalf of this user'
    },
    get words() {
      return way.words
    },
  }
}

/** Calls by the chosen protocol, whose outcomes may change the choice. */
const createCalls = (by: Readonly<Record<WayName, FileSystem>>, way: Way, transfers: EitherWayOptions['transfers']) => {
  /** A call at the name node. */
  const ask = async <T>(call: (fileSystem: FileSystem) => Promise<T>): Promise<T> => {
    const name = await way.forNames()
    return await call(by[name]).catch((error: unknown) => {
      way.failed(name, error)
      throw error
    })
  }
  /** A call that moves bytes one of the ways. */
  const move = async <T>(name: WayName, call: (fileSystem: FileSystem) => Promise<T>): Promise<T> => {
    const before = transfers()
    const result = await call(by[name])
    if (name === 'webHdfs' || transfers() > before) way.moved(name)
    return result
  }
  /** A part of the source is gone when it fails: the next attempt goes the other way. */
  const attempt = async <T>(name: WayName, call: (fileSystem: FileSystem) => Promise<T>): Promise<T> =>
    await move(name, call).catch((error: unknown) => {
      if (!way.notMoved(name, error)) way.failed(name, error)
      throw error
    })
  const read = async (
    name: WayName,
    path: string,
    call: (fileSystem: FileSystem) => ReturnType<FileSystem['open']>,
    again: Parameters<FileSystem['open']>[1],
  ): ReturnType<FileSystem['open']> =>
    await move(name, call).catch(async (error: unknown) => {
      if (!way.notMoved(name, error)) {
        way.failed(name, error)
        throw error
      }
      return await move('webHdfs', other => other.open(path, again)).catch((second: unknown) => {
        way.notMoved('webHdfs', second)
        throw second
      })
    })
  return { ask, attempt, read }
}

/** Verbs that move bytes. */
const writes: readonly string[] = ['create', 'append']

/** The file system of one caller. */
const createOver = (
  by: Readonly<Record<WayName, FileSystem>>,
  way: Way,
  transfers: EitherWayOptions['transfers'],
): FileSystem => {
  const { ask, attempt, read } = createCalls(by, way, transfers)
  const write = async <T>(call: (fileSystem: FileSystem) => Promise<T>): Promise<T> =>
    await attempt(await way.forBytes(), call)
  const around = async (verb: string, args: readonly unknown[], call: CallVerb<object>): Promise<unknown> => {
    const through = (fileSystem: FileSystem): Promise<unknown> => call(fileSystem.hadoop ?? {}, args)
    return writes.includes(verb) ? await write(through) : await ask(through)
  }
  const { appends } = by.native
  /** Files that stay open: only the own protocol has them. */
  const keepOpen = async (_: string, args: readonly unknown[], call: CallVerb<Appends>): Promise<unknown> => {
    const why = await way.whyNotOpen()
    const told = `${by.native.url} is spoken to by ${why}`
    if (why !== '') throw refusal('unsupported', parsePath(String(args[0])), 'keep open', told)
    return await attempt('native', async fileSystem => call(appendsOf(fileSystem), args))
  }
  const directories: Directories = {
    mkdirs: (...args) => ask(async fileSystem => fileSystem.directories?.mkdirs(...args)),
    rename: (...args) => ask(async fileSystem => fileSystem.directories?.rename(...args)),
  }
  return {
    url: by.native.url,
    publish: (...args) => write(fileSystem => fileSystem.publish(...args)),
    settle: (...args) => ask(fileSystem => fileSystem.settle(...args)),
    open: async (path, options) =>
      await read(await way.forBytes(), path, fileSystem => fileSystem.open(path, options), options),
    openFile: async (path): Promise<OpenFile> => {
      const name = await way.forBytes()
      const opened = await openFile(by[name], path).catch((error: unknown) => {
        way.failed(name, error)
        throw error
      })
      return { ...opened, read: options => read(name, path, () => opened.read(options), options) }
    },
    getFileStatus: path => ask(fileSystem => fileSystem.getFileStatus(path)),
    listStatus: async function* (path, options) {
      const name = await way.forNames()
      try {
        yield* by[name].listStatus(path, options)
      } catch (error) {
        way.failed(name, error)
        throw error
      }
    },
    delete: (...args) => ask(fileSystem => fileSystem.delete(...args)),
    directories,
    hadoop: wrapFacet<Partial<HadoopVerbs>>(by.native.hadoop ?? {}, around),
    ...(appends && { appends: wrapFacet<Appends>(appends, keepOpen) }),
    probe: () => ask(fileSystem => fileSystem.probe()),
    close: () => by.native.close(),
    spokenBy: () => way.words,
  }
}
