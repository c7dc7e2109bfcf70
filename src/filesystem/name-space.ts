import { join } from 'node:path'
import { createFileSystem } from './create.ts'
import { FileSystemError, withSetting } from './filesystem.ts'
import type { MountedFileSystem } from './mounts/routes.ts'
import { createMountTable, type MountTable } from './mounts.ts'
import { type DelegationTokens, tokenCredentials } from './webhdfs/delegation-tokens.ts'

/** The settings that say which file systems there are, by their keys. */
export type NameSpaceSettings = {
  readonly 'data.dir': string
  readonly 'namenode.url'?: string | undefined
  readonly 'namenode.webhdfs.url': readonly string[]
  readonly 'namenode.user'?: string | undefined
  readonly 'namenode.token'?: string | undefined
  readonly 'namenode.kerberos.principal'?: string | undefined
  readonly 'namenode.kerberos.keytab'?: string | undefined
  readonly 'namenode.doas': 'server' | 'caller'
  readonly mounts: readonly {
    readonly path: string
    readonly url: string
    readonly webhdfs: readonly string[]
    readonly user?: string | undefined
    readonly token?: string | undefined
    readonly kerberos?: { readonly principal: string; readonly keytab: string } | undefined
    readonly doas: 'server' | 'caller'
  }[]
}

/** Tokens for the cluster with Kerberos at a mount point, `/` for the default one. */
export type TokensOf = (mountPoint: string) => DelegationTokens

/**
 * How long a mounted cluster may take, in ms: it answers, or its paths fail. Shorter than for the default cluster, which
 * the collector waits for.
 */
const mountLimits = { timeoutMs: 10_000, maxRetries: 1, maxRetryMs: 10_000 } as const

/**
 * The one name space of the settings: the default file system, and the clusters of `mounts` at their places.
 * @param tokensOf for clusters with Kerberos
 * @throws TypeError, FileSystemError naming what cannot be used; nothing stays open then
 */
export const createNameSpace = async (settings: NameSpaceSettings, tokensOf: TokensOf): Promise<MountTable> => {
  const identify = (mountPoint: string, hasKerberos: boolean, doas: 'server' | 'caller') => ({
    actsForOthers: doas === 'caller',
    ...(hasKerberos && { credentials: tokenCredentials(tokensOf(mountPoint)) }),
  })
  const root = await createFileSystem(
    {
      root: join(settings['data.dir'], 'fs'),
      namenodeUrl: settings['namenode.url'],
      webhdfsUrls: settings['namenode.webhdfs.url'],
      user: settings['namenode.user'],
      token: settings['namenode.token'],
    },
    identify('/', settings['namenode.kerberos.keytab'] !== undefined, settings['namenode.doas']),
  ).catch((error: unknown) => {
    const setting = settings['namenode.url'] ? 'namenode.url' : 'data.dir'
    throw error instanceof FileSystemError ? withSetting(error, setting) : error
  })
  const mounted: MountedFileSystem[] = []
  try {
    for (const { path, url, webhdfs, user, token, kerberos, doas } of settings.mounts) {
      const unused = join(settings['data.dir'], 'fs')
      const of = { namenodeUrl: url, webhdfsUrls: webhdfs, user, token, root: unused }
      mounted.push({
        path,
        fileSystem: await createFileSystem(of, { ...mountLimits, ...identify(path, kerberos !== undefined, doas) }),
      })
    }
  } catch (error) {
    await createMountTable(root, mounted).close()
    throw error
  }
  return createMountTable(root, mounted)
}
