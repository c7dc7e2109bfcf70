import { createHash, createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, one => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * What is wrong with the signature of a request, by the description of Signature Version 4: the code of S3, or undefined.
 * Written apart from what signs.
 */
export const findWrongSignature = (
  { method = '', url = '', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  body: Uint8Array,
  secretOf: (accessKeyId: string) => string | undefined,
  now: number,
): string | undefined => {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
  const [, id = '', day = '', region = '', names = '', given] = form.exec(headers.authorization ?? '') ?? []
  const secret = secretOf(id)
  if (secret === undefined) return 'InvalidAccessKeyId'
  const date = String(headers['x-amz-date'])
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? []
  const [year = 0, month = 1, ...rest] = parts.map(Number)
  if (Math.abs(Date.UTC(year, month - 1, ...rest) - now) > 15 * 60_000) return 'RequestTimeTooSkewed'
  const hash = String(headers['x-amz-content-sha256'])
  if (hash !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  const signed = names.split(';')
  const needed = Object.keys(headers).filter(name => name.startsWith('x-amz-') || name === 'host')
  if (needed.some(name => !signed.includes(name))) return 'AccessDenied'
  const [path = '', query = ''] = url.split('?')
  const canonical = [
    method,
    path
      .split('/')
      .map(part => escaped(decodeURIComponent(part)))
      .join('/'),
    query
      .split('&')
      .filter(pair => pair !== '')
      .map(pair => pair.split('=').map(one => escaped(decodeURIComponent(one))))
      .map(([name = '', value = '']) => `${name}=${value}`)
      .sort()
      .join('&'),
    ...signed.map(name => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    hash,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (before, part) => hmac(before, part),
    `AWS4${secret}`,
  )
  return hmac(typeof key === 'string' ? Buffer.from(key) : key, toSign).toString('hex') === given
    ? undefined
    : 'SignatureDoesNotMatch'
}
