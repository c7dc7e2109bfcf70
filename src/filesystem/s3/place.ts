/** Where a file system is in an object store, and what its paths are called there. */
import { FileSystemError } from '../filesystem.ts'

/** A bucket, and the part of it that counts. */
export type S3Place = {
  /** `s3://bucket/prefix`, for people; without a slash at the end. */
  readonly url: string
  readonly bucket: string
  /** What all keys begin with: empty, or with a slash at the end. */
  readonly prefix: string
  /** URL of the bucket, without a slash at the end. */
  readonly base: string
  readonly region: string
}

/** How a store is spoken to. */
export type S3Address = {
  /** `http(s)://host:port` of the store. @default AWS' own of the region */
  readonly endpoint?: string | undefined
  readonly region: string
  /**
   * Whether the bucket is in the path, and not in the host's name. @default true for a named endpoint, or a bucket with
   * a dot
   */
  readonly pathStyle?: boolean | undefined
}

/** Rules of AWS; older buckets of some stores have capitals and underscores, too. */
const bucketForm = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/

/**
 * The place that a URL names.
 * @throws TypeError it is not `s3://bucket` or `s3://bucket/prefix`, or the endpoint is not an HTTP URL
 */
export const toS3Place = (url: string, { endpoint, region, pathStyle }: S3Address): S3Place => {
  const [, bucket = '', rest = ''] = /^s3:\/\/([^/?#@]*)(?:\/([^?#]*))?$/.exec(url) ?? []
  const names = rest.split('/').filter(name => name !== '')
  if (!bucketForm.test(bucket) || names.some(name => name === '.' || name === '..')) {
    throw new TypeError('Cannot use a URL of an object store: expected s3://bucket or s3://bucket/prefix')
  }
  const host = parseEndpoint(endpoint ?? `https://s3.${region}.amazonaws.com`)
  const inPath = pathStyle ?? (endpoint !== undefined || bucket.includes('.'))
  const base = inPath
    ? `${host.origin}${host.pathname.replace(/\/+$/, '')}/${bucket}`
    : `${host.protocol}//${bucket}.${host.host}${host.pathname.replace(/\/+$/, '')}`
  const prefix = names.map(name => `${name}/`).join('')
  return { url: `s3://${[bucket, ...names].join('/')}`, bucket, prefix, base, region }
}

const parseEndpoint = (text: string): URL => {
  const url = URL.parse(text)
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (url && isPlain && /^https?:$/.test(url.protocol)) return url
  throw new TypeError('Cannot use an endpoint of an object store: expected http(s)://host:port, without a password')
}

/** Bytes of the longest key. */
const maxKeyBytes = 1_024

/** The key of a file. @param path as `parsePath` returns it @throws FileSystemError `bad-path`: it is longer than a key */
export const toObjectKey = ({ prefix }: S3Place, path: string): string => {
  const key = `${prefix}${path.slice(1)}`
  if (key.length * 3 <= maxKeyBytes || Buffer.byteLength(key) <= maxKeyBytes) return key
  throw new FileSystemError('bad-path', path, `Cannot use "${path}": its key would be longer than ${maxKeyBytes} bytes`)
}

/** What the keys of all that is in a directory begin with. @param path as `parsePath` returns it */
export const toDirectoryKey = (place: S3Place, path: string): string =>
  path === '/' ? place.prefix : `${toObjectKey(place, path)}/`

/** The URL of an object, or of the bucket where `key` is undefined; parameters in the order given. */
export const toObjectUrl = (
  { base }: S3Place,
  key: string | undefined,
  query: Readonly<Record<string, string | undefined>> = {},
): URL => {
  const params = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeExactly(value)}`],
  )
  const path = key === undefined ? '' : key.split('/').map(encodeExactly).join('/')
  return new URL(`${base}/${path}${params.length === 0 ? '' : `?${params.join('&')}`}`)
}

/** As S3 signs it: everything but letters, digits and `-_.~` is escaped. */
export const encodeExactly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
