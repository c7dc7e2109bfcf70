import { directoriesOf } from '../facets.ts'
import { type Directories, FileSystemError } from '../filesystem.ts'
import { parsePath } from '../path.ts'
import type { MountRoutes } from './routes.ts'

/** Makes and moves directories within one cluster. */
export const createMountDirectories = ({ at, toTarget, refuseMount }: MountRoutes): Directories => ({
  mkdirs: async (text, options) => {
    const path = parsePath(text)
    await at(path, (fileSystem, inner) => directoriesOf(fileSystem).mkdirs(inner, options))
  },

  rename: async (source, target, options) => {
    const [from, to] = [parsePath(source), parsePath(target)]
    refuseMount('rename', from)
    refuseMount('replace', to)
    const other = toTarget(to)
    if (other.mount !== toTarget(from).mount) {
      const message = `Cannot rename "${from}" to "${to}": they are on different clusters`
      throw new FileSystemError('bad-path', to, message)
    }
    await at(from, (fileSystem, inner) => directoriesOf(fileSystem).rename(inner, other.inner, options))
  },
})
