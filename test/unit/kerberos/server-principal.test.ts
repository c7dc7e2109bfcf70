import { expect, test } from 'vitest'
import { toServerPrincipal } from '../../../src/kerberos/server-principal.ts'

const none = () => Promise.reject(new Error('getaddrinfo ENOTFOUND web1'))

test.each([
  { hostname: 'web1', canonical: async () => 'Web1.Example.org', want: 'sluice/web1.example.org@R' },
  { hostname: 'WEB1.example.org', canonical: none, want: 'sluice/web1.example.org@R' },
])('_HOST is the full name of $hostname in lower case', async ({ hostname, canonical, want }) => {
  const own = { hostname: () => hostname, canonical }
  expect(await toServerPrincipal('sluice/_HOST@R', own)).toEqual({ principal: want })
})

test.each([
  ['nothing', none, 'ENOTFOUND'],
  ['a short name', async () => 'web1', 'web1'],
  ['an address alone', async () => '192.0.2.1', '192.0.2.1'],
])('where the lookup gives %s the short name stays, and the reason is told', async (_, canonical, reason) => {
  const { principal, problem } = await toServerPrincipal('sluice/_HOST@R', { hostname: () => 'Web1', canonical })
  expect(principal).toBe('sluice/web1@R')
  expect(problem).toContain(reason)
  expect(problem).toContain('Write the full name instead of _HOST')
})

test('a principal without _HOST asks for nothing', async () => {
  expect(await toServerPrincipal('sluice/host@R', { hostname: () => 'x', canonical: none })).toEqual({
    principal: 'sluice/host@R',
  })
})
