// node-only: reads the files beside it
import { readFileSync } from 'node:fs'
import { createAsset } from '../../../http/answers/asset.ts'
import type { Call } from '../../../http/call/call.ts'

/** A file that the browsing pages load. */
export type PageAsset = {
  /** Address with the version of the content: it may be kept for good. */
  readonly url: string
  /** Answers 200 with the content, or 304. */
  respond(call: Call<unknown>): Response
}

/**
 * Reads a file of `static/`.
 * @param before what goes in front of it
 * @throws Error when it is missing
 */
export const loadAsset = (name: string, contentType: string, before = Buffer.alloc(0)): PageAsset => {
  const body = Buffer.concat([before, readFileSync(new URL(`../static/${name}`, import.meta.url))])
  const asset = createAsset(body, contentType)
  const url = `/static/${name}?v=${asset.version}`
  return {
    url,
    respond: call =>
      asset.respond(call, {
        'cache-control': call.target === url ? 'public, max-age=31536000, immutable' : 'no-cache',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      }),
  }
}
