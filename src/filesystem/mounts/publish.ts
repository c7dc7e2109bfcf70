import { type Attempt, type FileSystem, FileSystemError, type Settled } from '../filesystem.ts'
import { parsePath } from '../path.ts'
import { type MountRoutes, toOuterError, toOuterPath } from './routes.ts'

/** Makes the `publish` and `settle` of the one name space: those of the file system that serves a path. */
export const createPublish = (
  routes: MountRoutes,
): Required<Pick<FileSystem, 'publish' | 'settle' | 'checkPublish'>> => {
  const { at, toTarget, refuseDirectory } = routes

  /** The same attempt, by the name that its temporary file has on the file system of the path. */
  const toInner = <A extends Attempt>(attempt: A, path: string): A => {
    const temporary = parsePath(attempt.temporary)
    const { mount, inner } = toTarget(temporary)
    if (mount === toTarget(path).mount) return { ...attempt, temporary: inner }
    const message = `Cannot rename "${temporary}" to "${path}": they are on different clusters`
    throw new FileSystemError('bad-path', path, message)
  }
  const toOuter = <S extends Settled>(settled: S, mount: string): S =>
    settled.failure === undefined ? settled : { ...settled, failure: toOuterError(settled.failure, mount) }

  return {
    publish: async (text, source, options = {}) => {
      const path = parsePath(text)
      refuseDirectory('create', path)
      const { attempt, signal } = options
      const how = attempt ? { ...options, attempt: toInner(attempt, path) } : options
      return await at(
        path,
        async (fileSystem, inner, mount) => {
          const { status, ...settled } = await fileSystem.publish(inner, source, how)
          return { ...toOuter(settled, mount), status: { ...status, path: toOuterPath(mount, status.path) } }
        },
        signal,
      )
    },

    checkPublish: async directory => {
      await at(parsePath(directory), async (fileSystem, inner) => await fileSystem.checkPublish?.(inner))
    },

    settle: async (text, attempt, options) => {
      const path = parsePath(text)
      const inside = toInner(attempt, path)
      return await at(
        path,
        async (fileSystem, inner, mount) => toOuter(await fileSystem.settle(inner, inside, options), mount),
        options?.signal,
      )
    },
  }
}
