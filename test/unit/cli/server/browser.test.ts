import { expect, test } from 'vitest'
import { browserOf, openInBrowser } from '../../../../admin/cli/server/browser.ts'

test.each([
  ['linux', {}, undefined],
  ['linux', { DISPLAY: ':0' }, ['xdg-open']],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open']],
  ['darwin', {}, ['open']],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler']],
  ['linux', { BROWSER: 'lynx' }, ['lynx']],
] as const)('browserOf on %s with %j', (platform, env, words) => {
  expect(browserOf(platform, env)).toEqual(words)
})

test('openInBrowser tells when there is no such program', async () => {
  expect(await openInBrowser('http://h/', ['/nonexistent/browser'])).toBe(false)
  expect(await openInBrowser('http://h/', [process.execPath, '-e', '0'])).toBe(true)
})
