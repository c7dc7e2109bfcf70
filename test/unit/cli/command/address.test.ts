import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveAddress } from '../../../../admin/cli/command/address.ts'
import { createDirectory, writeTree } from '../spool-dirs.ts'

const none = { SLUICE_PROFILES: '/nonexistent/profiles.yaml' }

describe('resolveAddress', () => {
  test('the defaults are the loopback listeners', async () => {
    expect(await resolveAddress({}, none)).toEqual({
      url: 'http://127.0.0.1:8081',
      serverUrl: 'http://127.0.0.1:8080',
      gatewayUrl: 'http://127.0.0.1:8080',
      token: undefined,
    })
  })

  test('flags win over variables, which win over the profile, which wins over the defaults', async () => {
    const directory = await createDirectory()
    await writeTree(directory, {
      'profiles.yaml': [
        'default: one',
        'profiles:',
        '  one: { url: "https://one:1/", token: secret }',
        `  two: { url: "https://two:1", server-url: "https://two", token-file: ${join(directory, 'token')} }`,
      ].join('\n'),
      token: 'from-file\n',
    })
    const env = { SLUICE_PROFILES: join(directory, 'profiles.yaml') }
    expect(await resolveAddress({}, env)).toEqual({
      url: 'https://one:1',
      serverUrl: 'http://127.0.0.1:8080',
      gatewayUrl: 'http://127.0.0.1:8080',
      token: 'secret',
    })
    expect(await resolveAddress({ profile: 'two' }, env)).toEqual({
      url: 'https://two:1',
      serverUrl: 'https://two',
      gatewayUrl: 'https://two',
      token: 'from-file',
    })
    const variables = { ...env, SLUICE_PROFILE: 'two', SLUICE_URL: 'http://env:1', SLUICE_TOKEN: 'from-env' }
    expect(await resolveAddress({}, variables)).toEqual({
      url: 'http://env:1',
      serverUrl: 'https://two',
      gatewayUrl: 'https://two',
      token: 'from-env',
    })
    const flags = { url: 'http://flag:1', 'token-file': join(directory, 'token') }
    expect(await resolveAddress(flags, variables)).toMatchObject({ url: 'http://flag:1', token: 'from-file' })
  })

  test('the gateway is where the collector is, or at an address of its own', async () => {
    const directory = await createDirectory()
    await writeTree(directory, {
      'profiles.yaml': 'profiles: { apart: { server-url: "http://c:1", gateway-url: "http://g:1/" } }',
    })
    const gatewayUrl = async (env: object, flags = {}) =>
      (await resolveAddress(flags, { SLUICE_PROFILES: join(directory, 'profiles.yaml'), ...env })).gatewayUrl
    expect(await gatewayUrl({ SLUICE_SERVER_URL: 'http://c:2' })).toBe('http://c:2')
    expect(await gatewayUrl({}, { profile: 'apart' })).toBe('http://g:1')
    expect(await gatewayUrl({ SLUICE_SERVER_URL: 'http://c:2' }, { profile: 'apart' })).toBe('http://c:2')
    const apart = { SLUICE_SERVER_URL: 'http://c:2', SLUICE_GATEWAY_URL: 'http://g:2' }
    expect(await gatewayUrl(apart, { profile: 'apart' })).toBe('http://g:2')
    expect(await gatewayUrl(apart, { 'server-url': 'http://f:1' })).toBe('http://f:1')
  })

  test.each([
    [{ url: 'nonsense' }, /^--url nonsense: expected an http or https URL/],
    [{ url: 'ftp://u:password@host' }, /^--url : expected/],
    [{ profile: 'nobody' }, /^There is no profile nobody/],
    [{ 'token-file': '/nonexistent' }, /^The token file \/nonexistent cannot be used/],
  ])('%j is a mistake of usage', async (flags, message) => {
    await expect(resolveAddress(flags, none)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(message),
    })
  })

  test('an unknown profile names the known ones; a broken file says where', async () => {
    const directory = await createDirectory()
    await writeTree(directory, { good: 'profiles: { a: {}, b: {} }', bad: 'profiles: [', list: '- a' })
    const resolve = (file: string) => resolveAddress({ profile: 'c' }, { SLUICE_PROFILES: join(directory, file) })
    await expect(resolve('good')).rejects.toThrow(/has no profile c; it has a, b/)
    await expect(resolve('bad')).rejects.toThrow(/bad: /)
    await expect(resolve('list')).rejects.toThrow(/expected `profiles:`/)
  })
})
