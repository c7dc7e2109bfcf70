import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const module = new URL('smile-js.js', pathToFileURL(createRequire(import.meta.url).resolve('smile-js')))
const source = readFileSync(module, 'utf8')
const mended = source.replace(/if \(e in this\.stringMap\)\s+return this\.stringMap\[e\];/, '')
if (mended === source)
  throw new Error(`${module.href} no longer has the statement that loses count: is it right as it is?`)

/**
 * `parse` of `smile-js`, without one statement: because of it a text or name that is spelled out again does not enter
 * its table again. It has to (specification 1.0.6, "Avoiding references"), because writers spell out each time a text
 * whose reference would end in FE or FF, the 255th and 256th first.
 */
export const { parse: parseSmile } = (await import(
  `data:text/javascript,${encodeURIComponent(mended)}`
)) as typeof import('smile-js')
