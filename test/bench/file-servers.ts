/**
 * Servers that files are read from and written to over HTTP: Sluice, and those it is compared with; each started for
 * one run.
 */
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { startHttpFs } from './others/httpfs.ts'
import { startTlsProxy } from './others/nginx.ts'
import type { Started } from './others/other.ts'
import type { HdfsPlace, Place, StorePlace } from './places.ts'
import { type Certificate, startBareGateway, startSluice } from './servers.ts'
import { toUrl } from './transfer-run.ts'

/** Where a file is read. */
export type Reads = { open(path: string): string }
/** The same, where an address takes time to make. */
export type OpensLater = { open(path: string): string | Promise<string> }
/** Where the names in a directory are read. */
export type Lists = { list(path: string): string }
/** Where a file, or all in a directory, are read as rows. */
export type MakesRows = { rows(path: string): string }
/** How a file is written, in the place of another one. */
export type Writes = { create(path: string): Create }
/** All that a gateway of ours does. */
export type WholeGateway = Reads & Lists & MakesRows & Writes

export type Create = {
  readonly url: string
  readonly method: 'POST' | 'PUT'
  /** It names another address in a 307 first. */
  readonly isRedirected?: boolean
}

/** Starts a server for the files of a place. */
export type StartFor<P extends Place, A> = (place: P) => Promise<Started & A>

/** Sluice. @param more settings, as `key=value` */
export const startGateway =
  (more: readonly string[] = []): StartFor<Place, WholeGateway> =>
  async ({ options, data, settings }) => {
    const server = await startSluice(options, data, ['services=gateway', ...settings, ...more])
    return {
      ...server,
      open: path => toUrl(server.url, '/rest/1.0/binary', { path }),
      list: path => toUrl(server.url, '/rest/1.0/json', { path, content: 'false' }),
      rows: path => toUrl(server.url, '/rest/1.0/json', { path }),
      create: path => ({ url: toUrl(server.url, '/rest/1.0', { path, overwrite: 'true' }), method: 'POST' }),
    }
  }

/** Sluice, by its WebHDFS API: all in one step, as HttpFS has it. */
export const startWebHdfsApi: StartFor<Place, Reads & Lists & Writes> = async ({ options, data, settings }) => {
  const server = await startSluice(options, data, ['services=gateway', ...settings])
  return { ...server, ...toWebHdfs(server.url), create: path => toCreateAtOnce(server.url, path) }
}

/** The bare gateway, with files of this machine. */
export const startBareFiles: StartFor<Place, WholeGateway> = async ({ options, local }) => {
  const server = await startBareGateway(options)
  const at = (route: string) => (path: string) => toUrl(server.url, route, { path: local(path) })
  const put = at('/put')
  const create = (path: string): Create => ({ url: put(path), method: 'POST' })
  return { ...server, open: at('/file'), list: at('/list'), rows: at('/rows'), create }
}

/** The cluster itself, which redirects to its DataNode. It has no process of its own: 0 means no process. */
export const askWebHdfs: StartFor<HdfsPlace, Reads & Lists & Writes> = async ({ cluster: { webhdfsUrl, user } }) => ({
  pid: 0,
  url: webhdfsUrl,
  stop: async () => {},
  ...toWebHdfs(webhdfsUrl, user),
  create: path => ({ url: toOperation(webhdfsUrl, path, 'CREATE', user), method: 'PUT', isRedirected: true }),
})

/** The store itself, by addresses that are signed once. It has no process of its own: 0 means no process. */
export const askStore: StartFor<StorePlace, OpensLater> = async ({ presign }) => ({
  pid: 0,
  url: '',
  stop: async () => {},
  open: presign,
})

/** Hadoop's own gateway. */
export const startHttpFsFor: StartFor<HdfsPlace, Reads & Lists & Writes> = async ({ options, cluster }) => {
  const server = await startHttpFs(await mkdtemp(join(options.directory, 'httpfs-')), cluster)
  return {
    ...server,
    ...toWebHdfs(server.url, cluster.user),
    create: path => toCreateAtOnce(server.url, path, cluster.user),
  }
}

/** It asks the DataNode, without the NameNode. */
export const startNginxFor =
  (certificate: Certificate): StartFor<HdfsPlace, Reads> =>
  async ({ options, dataNode }) => {
    const directory = await mkdtemp(join(options.directory, 'nginx-'))
    const server = await startTlsProxy(directory, certificate, dataNode.origin)
    return { ...server, open: path => dataNode.open(path).replace(dataNode.origin, server.url) }
  }

/** The bare gateway, from the DataNode's socket to that of the client. */
export const startBarePipe: StartFor<HdfsPlace, Reads> = async ({ options, dataNode }) => {
  const server = await startBareGateway(options)
  return { ...server, open: path => toUrl(server.url, '/pipe', { url: dataNode.open(path) }) }
}

const toWebHdfs = (base: string, user?: string): Reads & Lists => ({
  open: path => toOperation(base, path, 'OPEN', user),
  list: path => toOperation(base, path, 'LISTSTATUS', user),
})

/** A gateway takes the bytes at once if the request announces them (`data=true`). */
const toCreateAtOnce = (base: string, path: string, user?: string): Create => ({
  url: `${toOperation(base, path, 'CREATE', user)}&data=true`,
  method: 'PUT',
})

const toOperation = (base: string, path: string, op: 'OPEN' | 'LISTSTATUS' | 'CREATE', user?: string): string =>
  toUrl(base, `/webhdfs/v1${path}`, {
    op,
    ...(user === undefined ? {} : { 'user.name': user }),
    ...(op === 'CREATE' ? { overwrite: 'true' } : {}),
  })
