// node-only: reads the files beside it
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Call } from '../../http/call.ts'

/** A file that pages load, in memory. */
export type Asset = {
  /** Address with the hash of the content: it may be kept for good. */
  readonly url: string
  /** Answers 200 with the content, or 304. */
  respond(call: Call<unknown>): Response
}

/**
 * Reads a file of `static/`.
 * @param before what goes in front of it
 * @throws Error when it is missing
 */
export const loadAsset = (name: string, contentType: string, before = Buffer.alloc(0)): Asset => {
  const body = Buffer.concat([before, readFileSync(new URL(`./static/${name}`, import.meta.url))])
  const version = hash('sha256', body, 'hex').slice(0, 16)
  const url = `/static/${name}?v=${version}`
  const etag = `"${version}"`
  return {
    url,
    respond: call => {
      const headers = {
        etag,
        'cache-control': call.target === url ? 'public, max-age=31536000, immutable' : 'no-cache',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      }
      if (isUnchanged(call.header('if-none-match'), etag)) return new Response(null, { status: 304, headers })
      return new Response(body, { headers: { ...headers, 'content-type': contentType } })
    },
  }
}

const isUnchanged = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag) ?? false
