import { parseReferrer } from '../../../src/collector/annotations.ts'
import { createClientAddress, toPackedAddress } from '../../../src/collector/client-address.ts'
import { parsePath } from '../../../src/filesystem/path.ts'
import { checkSource, toAllowedHosts } from '../../../src/http/origin/hosts.ts'
import { tried } from '../tried.ts'
import { toWords } from '../words.ts'

/** Where a request says it comes from, and the path that it asks for: a line each of Host, Origin, Sec-Fetch-Site … */
export const name = 'source'

export const dictionary = [
  ...toWords(`
    localhost 127.0.0.1 [::1] 0x7f.1 2130706433 evil.example null http:// https:// @ %00 cross-site
    same-origin none ::ffff: , : . / // /../ /./ .. %2e%2e
  `),
  '\\',
  '\u0000',
]

const allowedHosts = toAllowedHosts(['console.example'], '127.0.0.1')
const addressOf = createClientAddress(['10.0.0.0/8', '::1'])

/** Only names that are allowed pass; a path that passes stays below the root. */
export const run = (bytes: Uint8Array): void => {
  const text = Buffer.from(bytes).toString('utf8')
  const [host, origin, site, forwarded, path] = text.split('\n')
  const headers: Readonly<Record<string, string | undefined>> = { host, origin, 'sec-fetch-site': site }
  const rules = { allowedHosts, allowedOrigins: ['https://other.example'], secure: false }
  const passes = tried(() => checkSource({ method: 'POST', header: key => headers[key] }, rules) ?? true)
  if (passes && !/^(localhost|127\.0\.0\.1|\[?::1\]?|console\.example)\.?(:\d*)?$/i.test(host ?? '')) {
    throw new Error(`The host ${JSON.stringify(host)} passed`)
  }
  addressOf('10.1.2.3', forwarded)
  toPackedAddress(forwarded ?? '')
  parseReferrer(forwarded)
  for (const one of [path ?? '', text]) {
    const parsed = tried(() => parsePath(one))
    if (parsed === undefined) continue
    if (!parsed.startsWith('/') || /\0|\/\/|\/\.\.?(\/|$)/.test(parsed)) throw new Error(`the path ${parsed}`)
    if (parsePath(parsed) !== parsed) throw new Error(`${parsed} is another path`)
  }
}
