import type { Settings } from '../config/table.ts'
import type { FileSystem } from '../filesystem/filesystem.ts'
import { createMountTable, type MountTable } from '../filesystem/mounts.ts'
import { createNameSpace } from '../filesystem/name-space.ts'
import { type Auth, createAuth } from '../http/auth.ts'
import type { Logger } from '../log/log.ts'
import { createHttpRegistrar } from '../rows/http-registrar.ts'
import { noRegistrar, type Registrar } from '../rows/registrar.ts'
import type { AppOptions } from './app-type.ts'

/** What every part works with. */
export type Shared = {
  readonly settings: Settings
  readonly logger: Logger
  readonly auth: Auth
  /** The one name space, mounts included. */
  readonly fileSystem: MountTable
  /** One for all: what one part learns of an event type, the others know as well. */
  readonly registrar: Registrar
}

/** Makes it; the file system is that of the settings unless another is given. */
export const createShared = async ({
  settings,
  logger,
  fileSystem,
}: AppOptions & { readonly fileSystem?: FileSystem }): Promise<Shared> => {
  const url = settings['registrar.url']
  const refreshMs = settings['registrar.refresh-seconds'] * 1_000
  return {
    settings,
    logger,
    auth: await createAuth({ path: settings['auth.tokens'], logger }),
    fileSystem: fileSystem ? createMountTable(fileSystem, []) : await createNameSpace(settings),
    registrar: url === undefined ? noRegistrar : createHttpRegistrar({ url, refreshMs, log: logger }),
  }
}
