import type { MountTable } from '../../filesystem/mounts.ts'
import { readBaseStyle } from '../../http/base-style.ts'
import type { Identity } from '../../http/call.ts'
import { loadAsset } from './assets.ts'
import type { Frame, Health } from './layout.ts'
import type { Server } from './snippets.ts'

/** Makes what is around the content of pages. */
export type Frames = {
  /** How callers show who they are; where they need not, nobody is logged in either. */
  readonly proof: Server['proof']
  /** For those of whom nothing is known: it tells nothing of the clusters. */
  readonly bare: Frame
  /** For the page of a path. @param health @default what is known of the cluster there */
  readonly of: (caller: Identity | undefined, path: string, health?: Health) => Frame
}

export type FramesOptions = Pick<Frames, 'proof'> & {
  readonly fileSystem: Pick<MountTable, 'urlOf' | 'problemOf'>
}

/** The style of all pages, and the script of those that have one, under addresses that change with what is in them. */
export const pageStyle = loadAsset('pages.css', 'text/css; charset=utf-8', readBaseStyle())
export const pageScript = loadAsset('pages.js', 'text/javascript; charset=utf-8')

export const createFrames = ({ fileSystem, proof }: FramesOptions): Frames => {
  const bare: Frame = { styleUrl: pageStyle.url, scriptUrl: pageScript.url }
  return {
    proof,
    bare,
    of: (caller, path, health = healthOf(fileSystem, path)) => {
      if (caller === undefined) return bare
      return { ...bare, cluster: fileSystem.urlOf(path), health, user: proof === 'none' ? undefined : caller.name }
    },
  }
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
