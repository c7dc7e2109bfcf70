/** URLs of name nodes and data nodes, with names exactly as they are. */
import { FileSystemError } from '../../filesystem.ts'
import type { Proof } from '../credentials.ts'

/** What a URL says of a call. */
type Target = {
  readonly op: string
  /** As `parsePath` returns it. */
  readonly path: string
  readonly params?: Readonly<Record<string, string | number | boolean | undefined>>
  /** More of them, of which several may have one name. */
  readonly pairs?: readonly (readonly [name: string, value: string])[]
}

/** The URL of one call at a name node. It may hold a token: it must not get into messages. @param proof says who calls */
export const toNodeUrl = (node: URL, { op, path, params, pairs = [] }: Target, proof: Proof['params']): URL => {
  const query = [...Object.entries({ op, ...proof, ...params }), ...pairs]
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  const base = node.pathname.replace(/\/+$/, '')
  return new URL(`${node.origin}${base}${restPrefix}${encodePath(path)}?${query.join('&')}`)
}

/** @throws TypeError for something else than `http(s)://host:port[/prefix]`; its message does not repeat the text */
export const parseNode = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url
  throw new TypeError('Cannot use a WebHDFS URL: expected http://host:port or https://host:port, without a password')
}

/** @throws FileSystemError `unavailable` when it is not a URL of a data node */
export const parseLocation = (
  text: unknown,
  { action, path }: { readonly action: string; readonly path: string },
): URL => {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return withExactPath(url, path)
  throw new FileSystemError('unavailable', path, `Cannot ${action} "${path}": the name node named no data node`)
}

/** A name node writes the name into its redirect in Unicode's composed form, which may be another name. */
const withExactPath = (url: URL, path: string): URL => {
  const at = url.pathname.indexOf(restPrefix) + restPrefix.length
  const written = at < restPrefix.length ? undefined : decodePath(url.pathname.slice(at))
  if (written === path || written !== path.normalize('NFC')) return url
  return new URL(`${url.origin}${url.pathname.slice(0, at)}${encodePath(path)}${url.search}`)
}

/** Undefined where it is not one. */
export const decodePath = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Everything but letters, digits and `-_.!~*'()` is escaped, so that names arrive as they are. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The prefix of a file's path. */
export const restPrefix = '/webhdfs/v1'
