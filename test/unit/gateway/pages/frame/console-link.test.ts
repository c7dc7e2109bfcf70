import { expect, test } from 'vitest'
import { createFrames } from '../../../../../src/gateway/pages/frame/frames.ts'
import { createTokenAuth, createWorld } from '../world.ts'

const target = '/rest/1.0/hdfs?path=/'
const at = (host: string, more: { readonly port?: number; readonly cert?: string } = {}) => ({
  'admin.host': host,
  'admin.port': more.port ?? 8081,
  'admin.tls.cert': more.cert,
})
const toLink = (html: string) => /<a href="([^"]*)">Console<\/a>/.exec(html)?.[1]

test.each([
  { what: 'this machine', console: at('127.0.0.1'), host: 'localhost:8080', want: 'http://localhost:8081' },
  { what: 'this machine, by IPv6', console: at('::1'), host: '[::1]:8080', want: 'http://[::1]:8081' },
  { what: 'all addresses', console: at('0.0.0.0'), host: '127.0.0.1:8080', want: 'http://127.0.0.1:8081' },
  { what: 'one address', console: at('10.0.0.7'), host: 'localhost:8080', want: 'http://10.0.0.7:8081' },
  { what: 'one of IPv6', console: at('2001:db8::7'), host: 'localhost:8080', want: 'http://[2001:db8::7]:8081' },
  { what: 'TLS', console: at('0.0.0.0', { cert: '/c.pem', port: 443 }), host: 'localhost', want: 'https://localhost' },
  { what: 'a port that nobody knows', console: at('127.0.0.1', { port: 0 }), host: 'localhost', want: undefined },
])('pages lead to the console of a management on $what', async ({ console, host, want }) => {
  const { page } = await createWorld({ console })
  expect(toLink(await page(target, { host }))).toBe(want)
})

test.each([
  ['127.0.0.1', undefined],
  ['localhost', undefined],
  ['0.0.0.0', 'http://sluice.example:8081'],
  ['10.0.0.7', 'http://10.0.0.7:8081'],
])('pages that came from another machine, where it listens on %s', (address, want) => {
  const fileSystem = { urlOf: () => 'memory:///', problemOf: () => '' }
  const { consoleOf } = createFrames({ fileSystem, proof: 'none', console: at(address) })
  const caller = { name: 'ann', has: () => true }
  expect(consoleOf(caller, { host: 'sluice.example', port: 8080, secure: false })).toBe(want)
})

test('a caller without access to the console does not see its address', async () => {
  const cookie = 'sluice-session=secret'
  for (const [roles, want] of [
    [['read'], undefined],
    [['read', 'view'], 'http://localhost:8081'],
  ] as const) {
    const { page } = await createWorld({ console: at('127.0.0.1'), auth: createTokenAuth(...roles) })
    expect(toLink(await page(target, { cookie }))).toBe(want)
  }
})
