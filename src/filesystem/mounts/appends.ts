import type { Appends, FileAppender } from '../appends.ts'
import { appendsOf } from '../facets.ts'
import { parsePath } from '../path.ts'
import { type MountRoutes, toOuterError } from './routes.ts'

/** Keeps files open where they are. */
export const createMountAppends = ({ at, refuseDirectory }: MountRoutes): Appends => {
  /** A verb of the file system that serves a path. */
  const ofFile = async <T>(
    action: string,
    text: string,
    call: (appends: Appends, inner: string, mount: string) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    const path = parsePath(text)
    refuseDirectory(action, path)
    return await at(path, (fileSystem, inner, mount) => call(appendsOf(fileSystem), inner, mount), signal)
  }

  return {
    create: (path, options) =>
      ofFile('create', path, async (on, inner, at) => toOuter(await on.create(inner, options), at), options?.signal),
    append: (path, options) =>
      ofFile('append to', path, async (on, inner, at) => toOuter(await on.append(inner, options), at), options?.signal),
    truncate: (path, length, options) =>
      ofFile('truncate', path, (on, inner) => on.truncate(inner, length, options), options?.signal),
    visibleLength: (path, options) =>
      ofFile('look at the end of', path, (on, inner) => on.visibleLength(inner, options), options?.signal),
    recoverLease: (path, options) =>
      ofFile('take over', path, (on, inner) => on.recoverLease(inner, options), options?.signal),
    isClosed: (path, options) => ofFile('look at', path, (on, inner) => on.isClosed(inner, options), options?.signal),
  }
}

/** The same open file, whose errors speak of the path in the one name space. */
const toOuter = (file: FileAppender, mount: string): FileAppender => {
  if (mount === '/') return file
  const outer = (step: Promise<void>): Promise<void> =>
    step.catch((error: unknown) => {
      throw toOuterError(error, mount)
    })
  return {
    get length() {
      return file.length
    },
    get copies() {
      return file.copies
    },
    write: bytes => outer(file.write(bytes)),
    hflush: () => outer(file.hflush()),
    hsync: () => outer(file.hsync()),
    close: () => outer(file.close()),
    abandon: () => file.abandon(),
  }
}
