import { hadoopOf } from '../facets.ts'
import { FileSystemError } from '../filesystem.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { mapJson } from '../map-json.ts'
import { parsePath } from '../path.ts'
import { type MountRoutes, toOuterPath } from './routes.ts'

/**
 * Makes the `webHdfs` of the one name space. Paths that an operation names besides its own belong to the same cluster,
 * and so do those of its answer, which are translated to the one name space.
 */
export const createMountPassOn =
  (routes: MountRoutes): HadoopVerbs['webHdfs'] =>
  async operation => {
    const path = parsePath(operation.path)
    const params = operation.params.map(([name, value]) => [name, toInnerParam(routes, path, name, value)] as const)
    if (operation.method !== 'GET' && path !== '/') routes.refuseMount('change', path)
    return await routes.at(
      path,
      async (fileSystem, inner, mount) => {
        const json = await hadoopOf(fileSystem).webHdfs({ ...operation, path: inner, params })
        return mount === '/' ? json : mapJson(json, (value, name) => toOuterValue(value, name, mount))
      },
      operation.signal,
    )
  }

/** Hadoop knows the names in any case. */
const toInnerParam = (routes: MountRoutes, path: string, name: string, value: string): string => {
  switch (name.toLowerCase()) {
    case 'destination':
      return toInnerPath(routes, path, value)
    case 'sources':
      return value
        .split(',')
        .map(source => toInnerPath(routes, path, source))
        .join(',')
    default:
      return value
  }
}

const toInnerPath = ({ toTarget, refuseMount }: MountRoutes, path: string, text: string): string => {
  const other = parsePath(text)
  refuseMount('use', other)
  const { mount, inner } = toTarget(other)
  if (mount === toTarget(path).mount) return inner
  throw new FileSystemError('bad-path', other, `Cannot use "${other}" with "${path}": they are on different clusters`)
}

/**
 * Members of answers that hold a path (3.4.3): of CREATESNAPSHOT, GETTRASHROOT and GETHOMEDIRECTORY; of GETTRASHROOTS,
 * which returns `path`; of GETSNAPSHOTLIST, GETSNAPSHOTTABLEDIRECTORYLIST and GETSNAPSHOTDIFF.
 */
const pathMembers = new Set(['Path', 'Paths', 'path', 'fullPath', 'parentFullPath', 'snapshotRoot'])

const toOuterValue = (value: unknown, name: string, mount: string): unknown =>
  pathMembers.has(name) && typeof value === 'string' && value.startsWith('/') ? toOuterPath(mount, value) : value
