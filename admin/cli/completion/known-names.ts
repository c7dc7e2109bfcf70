import { baseName } from '../../../src/filesystem/path.ts'
import { isRecord } from '../../../src/is-record.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import { listRemoteEntries } from '../files/files.ts'
import type { GatewayCalls } from '../files/gateway.ts'

/** Names that a shell may ask for during completion: of the management listener, or of the gateway. */
export const nameKinds = ['beans', 'types', 'paths', 'directories'] as const
export type NameKind = (typeof nameKinds)[number]

/** More would not help who types. */
const maxNames = 500

/** Unambiguous names, in order. */
export const readKnownNames = async (rpc: RpcClient, kind: 'beans' | 'types'): Promise<readonly string[]> => {
  const names = kind === 'beans' ? await readBeanNames(rpc) : await readTypes(rpc)
  return names.filter(isOneLine).sort().slice(0, maxNames)
}

/**
 * Paths that begin with what is typed, spelled as it is up to its last slash; a directory ends in one. If the rest does
 * not arrive in time, the names so far count.
 */
export const readPaths = async (
  gateway: GatewayCalls,
  typed: string,
  wantsFiles: boolean,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const [directory, beginning] = [typed.slice(0, typed.lastIndexOf('/') + 1), baseName(typed)]
  const paths: string[] = []
  if (!directory.startsWith('/')) return paths
  try {
    const options = { limit: maxNames, startAfter: toNameBefore(beginning), signal }
    for await (const { path, isDir } of listRemoteEntries(gateway, directory, options)) {
      const name = baseName(path)
      if (name.startsWith(beginning) && isOneLine(name) && (isDir || wantsFiles))
        paths.push(`${directory}${name}${isDir ? '/' : ''}`)
    }
  } catch {
    // Completion reports no errors.
  }
  return paths
}

/** A name just before those with a beginning, so that a long listing can start there. */
const toNameBefore = (beginning: string): string | undefined => {
  const last = Array.from(beginning).at(-1) ?? ''
  const code = (last.codePointAt(0) ?? 0) - 1
  if (code < 0x20 || (code >= 0xd800 && code < 0xe000)) return undefined
  return `${beginning.slice(0, -last.length)}${String.fromCodePoint(code)}\u{10ffff}`
}

/** Each is a line for the shell. */
const isOneLine = (name: string): boolean => !/\p{Cc}/u.test(name)

/** By their `name=` alone, as `resolveBean` takes them: colons part words in bash. */
const readBeanNames = async (rpc: RpcClient): Promise<string[]> => {
  const names = (await rpc.search('*:*')).flatMap(mbean => /:name=([^,]*)$/.exec(mbean)?.[1] ?? [])
  return names.filter((name, i) => names.indexOf(name) === i && names.lastIndexOf(name) === i)
}

const readTypes = async (rpc: RpcClient): Promise<string[]> => {
  const { vendor } = await rpc.version()
  const answer = await rpc.exec(`${vendor}.metrics.collector:name=EventTypes`, 'list', ['', 'name', maxNames])
  const types: unknown = isRecord(answer) ? answer['types'] : undefined
  return Array.isArray(types) ? types.flatMap((one: unknown) => (isRecord(one) ? [String(one['eventType'])] : [])) : []
}
