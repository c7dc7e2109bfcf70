import type { MountTable } from '../../../filesystem/mounts.ts'
import { readBaseStyle } from '../../../http/answers/base-style.ts'
import type { Identity } from '../../../http/call/call.ts'
import { isLoopbackHost } from '../../../http/origin/hosts.ts'
import { type ServerAddress, toBaseUrl } from '../../../http/origin/origin.ts'
import type { Server } from '../elements/snippets.ts'
import { loadAsset } from './assets.ts'
import type { Health, PageFrame } from './layout.ts'

/** Makes what is around the content of pages. */
export type Frames = {
  /** How callers prove who they are; without proof there is no login either. */
  readonly proof: Server['proof']
  /** For unknown callers: it reveals nothing of the clusters. */
  readonly bare: PageFrame
  /** For the page of a path. @param health @default what is known of the cluster there */
  readonly of: (caller: Identity | undefined, path: string, health?: Health) => PageFrame
  /** Where the console is, for callers who may look at it and whose browser can reach it, judging by its address. */
  readonly consoleOf: (caller: Identity | undefined, server: ServerAddress) => string | undefined
}

/** The listener of the management, by the settings. */
export type ConsoleAddress = {
  readonly 'admin.host': string
  readonly 'admin.port': number
  readonly 'admin.tls.cert': string | undefined
}

export type FramesOptions = Pick<Frames, 'proof'> & {
  readonly fileSystem: Pick<MountTable, 'urlOf' | 'problemOf'>
  /** @default none that pages lead to */
  readonly console?: ConsoleAddress
}

/** The style of all pages, and the script of those that have one, under addresses that change with what is in them. */
export const pageStyle = loadAsset('pages.css', 'text/css; charset=utf-8', readBaseStyle())
export const pageScript = loadAsset('pages.js', 'text/javascript; charset=utf-8')

export const createFrames = ({ fileSystem, proof, console: address }: FramesOptions): Frames => {
  const bare: PageFrame = { styleUrl: pageStyle.url, scriptUrl: pageScript.url }
  return {
    proof,
    bare,
    consoleOf: (caller, server) => (address && caller?.has('view') ? toConsoleUrl(address, server) : undefined),
    of: (caller, path, health = healthOf(fileSystem, path)) => {
      if (caller === undefined) return bare
      return { ...bare, cluster: fileSystem.urlOf(path), health, user: proof === 'none' ? undefined : caller.name }
    },
  }
}

/** A listener on every address is reached under that of the page; who listens for the machine itself, on it alone. */
const toConsoleUrl = (
  { 'admin.host': bound, 'admin.port': port, 'admin.tls.cert': cert }: ConsoleAddress,
  { host }: ServerAddress,
): string | undefined => {
  // A port that the system chooses is known to the process that listens alone.
  if (port === 0 || (isLoopbackHost(bound) && !isLoopbackHost(host))) return undefined
  const isEverywhere = bound === '0.0.0.0' || bound === '::'
  const own = bound.includes(':') ? `[${bound}]` : bound
  const name = isEverywhere || isLoopbackHost(bound) ? host : own
  return toBaseUrl({ host: name, port, secure: cert !== undefined })
}

const healthOf = ({ problemOf }: Pick<MountTable, 'problemOf'>, path: string): Health => {
  const message = problemOf(path)
  return message === '' ? { code: 'OK', message: 'It answers' } : { code: 'WARN', message }
}

/** How callers show who they are, by the settings. */
export const toProof = (settings: {
  readonly 'auth.tokens': string | undefined
  readonly 'auth.kerberos.keytab': string | undefined
}): Server['proof'] => {
  if (settings['auth.tokens'] === undefined) return 'none'
  return settings['auth.kerberos.keytab'] === undefined ? 'token' : 'ticket'
}
