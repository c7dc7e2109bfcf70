// node-only: compresses with zlib
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Call } from '../call/call.ts'
import { answerShared } from './shared-answer.ts'

/** A file that pages load, in memory. */
export type Asset = {
  /** Of its content: two files that differ have different ones. Safe in addresses. */
  readonly version: string
  /**
   * Answers 200 with the file, or 304 where the client has it (RFC 9110 §13.1.2): as it is, or by gzip for those who take that.
   * @param headers of the answer, beside those that tell about the content
   */
  respond(call: Pick<Call<unknown>, 'header'>, headers: Readonly<Record<string, string>>): Response
}

/** Makes an asset of what a file holds. It is compressed here, once. */
export const createAsset = (body: Buffer<ArrayBuffer>, contentType: string): Asset => {
  const version = hash('sha256', body, 'hex').slice(0, 16)
  const plain = { body, etag: `"${version}"`, headers: {} }
  // What is sent under one tag must always be the same bytes (RFC 9110 §8.8.3.3).
  const small = {
    body: gzipSync(body, { level: 9 }),
    etag: `"${version}-gzip"`,
    headers: { 'content-encoding': 'gzip' },
  }
  return {
    version,
    respond: (call, headers) => {
      const form = acceptsGzip(call.header('accept-encoding')) ? small : plain
      const common = { ...headers, etag: form.etag, vary: 'accept-encoding' }
      if (isUnchanged(call.header('if-none-match'), form.etag))
        return new Response(null, { status: 304, headers: common })
      return answerShared([form.body], { ...common, ...form.headers, 'content-type': contentType })
    },
  }
}

/**
 * Whether a client accepts gzip, by its `Accept-Encoding` (RFC 9110 §12.5.3): `*` matches encodings that are not named.
 */
const acceptsGzip = (header = ''): boolean => {
  const weights = new Map(
    header
      .toLowerCase()
      .split(',')
      .map(item => {
        const [coding = '', weight = ''] = item.split(';', 2)
        return [coding.trim(), !/^\s*q\s*=\s*0(?:\.0*)?\s*$/.test(weight)] as const
      }),
  )
  return weights.get('gzip') ?? weights.get('*') ?? false
}

const isUnchanged = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag) ?? false
