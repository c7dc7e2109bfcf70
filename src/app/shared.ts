import { createClusterTokens } from '../cluster-tokens/cluster-tokens.ts'
import { clustersOf } from '../config/clusters.ts'
import { createLiveSettings, type LiveSettings } from '../config/live-settings.ts'
import type { FixedSettings, Settings } from '../config/table.ts'
import { createMountTable, type MountTable } from '../filesystem/mounts.ts'
import { createNameSpace, locateClusters, type TokensOf } from '../filesystem/name-space.ts'
import { type Auth, createAuth } from '../http/auth/auth.ts'
import type { AcceptTicket } from '../http/auth/tickets.ts'
import { createAddressBlocks } from '../http/origin/address-blocks.ts'
import type { Logger } from '../log/log.ts'
import { createRegistrar } from '../rows/registrar/create-registrar.ts'
import type { Registrar } from '../rows/registrar/registrar.ts'
import type { AppOptions, AppParts } from './app-type.ts'
import { createReload, type Reload } from './reload.ts'

/** The dependencies of every part. */
export type Shared = {
  /** Those that hold until the process ends. */
  readonly settings: FixedSettings
  /** The others, too. */
  readonly live: LiveSettings
  readonly reload: Reload
  readonly logger: Logger
  readonly auth: Auth
  /** The one name space, mounts included. */
  readonly fileSystem: MountTable
  /** With which clusters with Kerberos are called. */
  readonly tokensOf: TokensOf
  /** One for all: what one part learns of an event type, the others know as well. */
  readonly registrar: Registrar
  /** Closes all of them. */
  close(): Promise<void>
}

/** Makes it; the file system is that of the settings unless another is given. */
export const createShared = async ({
  settings,
  logger,
  readSettings = () => ({ settings, warnings: [] }),
  fileSystem,
  acceptTicket,
}: AppOptions & Pick<AppParts, 'fileSystem' | 'acceptTicket'>): Promise<Shared> => {
  const clusters = await locateClusters(clustersOf(settings))
  const tokens = await createClusterTokens(clusters, logger)
  const opened = fileSystem ? createMountTable(fileSystem, []) : await createNameSpace(clusters, tokens.of, logger)
  const auth = await createCallers(settings, logger, acceptTicket).catch(async error => {
    await opened.close()
    await tokens.close()
    throw error
  })
  const registrar = await createRegistrar(settings, logger).catch(async error => {
    auth.close()
    await opened.close()
    await tokens.close()
    throw error
  })
  const live = createLiveSettings(settings)
  live.onChange(next => () => logger.setLevel?.(next['log.level']))
  return {
    // What is given cannot be given to another process, too.
    settings: fileSystem ? { ...settings, 'gateway.readers': 0 } : settings,
    live,
    reload: createReload({ live, logger, read: readSettings }),
    logger,
    auth,
    fileSystem: opened,
    tokensOf: tokens.of,
    registrar,
    close: async () => {
      registrar.close()
      auth.close()
      await opened.close()
      await tokens.close()
    },
  }
}

/** Who may call, by tokens, and by tickets and proxies where they are to count. */
const createCallers = async (settings: Settings, logger: Logger, given?: AcceptTicket): Promise<Auth> => {
  const { 'auth.tokens': path, 'auth.kerberos.keytab': keytab, 'auth.proxy-header': header } = settings
  // What speaks Kerberos is loaded only where it is asked for.
  const acceptTicket =
    keytab === undefined
      ? undefined
      : (given ?? (await (await import('../kerberos/accept.ts')).createAcceptor({ keytab })))
  const proxy =
    header === undefined ? undefined : { header, isTrusted: createAddressBlocks(settings['auth.trusted-proxies']) }
  return createAuth({ path, logger, acceptTicket, proxy })
}
