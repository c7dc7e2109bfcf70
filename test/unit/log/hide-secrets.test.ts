import { describe, expect, test } from 'vitest'
import { keysOf } from '../../../src/collector/formats/doors.ts'
import { withoutParameter } from '../../../src/contract/path-template.ts'
import { hideInPath, hideInText, isSecretParameter } from '../../../src/log/hide-secrets.ts'
import { contract } from '../contract/fixture.ts'

const key = 'phc_S3cret-Key'

describe('a key in the path of a route', () => {
  const routes = contract.operations.filter(({ path }) => path.endsWith('/{key}')).map(({ path }) => path)

  test('is called key, and other parts of similar paths are kept', () => {
    const names = contract.operations.flatMap(({ path }) => /\{(\w+)\}/.exec(path)?.[1] ?? [])
    expect(new Set(names)).toEqual(new Set(['key', 'call', 'path']))
    expect(routes).toContain('/array/{key}')
  })

  test('is in no error, and no other secret either', () => {
    const secrets = contract.operations
      .flatMap(({ parameters }) => parameters)
      .filter(({ name, in: place }) => place === 'query' && isSecretParameter(name))
    expect(new Set(secrets.map(({ name }) => name))).toEqual(new Set(['delegation', 'token']))
    for (const { name, schema } of secrets) expect(schema.format, name).toBe('password')
  })

  const tails = ['', '/', '/settings', '/config', '/config.js', '/config.js?ip=0', '/other/part', '/%', '?v=1', '#a']
  const around: readonly (readonly [string, (target: string) => string])[] = [
    ['a target', target => target],
    ['a URL', target => `https://sluice.example:8080${target}`],
    ['a request line', target => `GET ${target} HTTP/1.1`],
    ['a line of JSON', target => JSON.stringify({ target, n: 1 })],
    ['a line of text', target => `a request failed  target=${target}  n=1`],
    ['a sentence', target => `There is nothing at "${target}"`],
    ['a path with parameters', target => target.replace(/(?<=\/(?:array|projects))\//, ';a=b/')],
    ['a path with dots', target => target.replace(key, `./${key}`)],
    ['a path with empty parts', target => target.replace(key, `/${key}`)],
    ['a slash too many', target => `https://sluice.example/${target}`],
    ['a target with a slash too many', target => `GET /${target} HTTP/1.1`],
    ['another spelling', target => target.replace('array', 'ARRAY')],
  ]
  test.each(routes.flatMap(route => around.map(([name, make]) => [route, name, make] as const)))(
    '%s is in no log: %s',
    (route, _, make) => {
      for (const tail of tails) {
        const text = make(`${withoutParameter(route)}/${key}${tail}`)
        const shown = hideInText(text)
        expect(shown, text).not.toContain(key)
        expect(shown, text).toContain('(hidden)')
      }
    },
  )

  test('is all that is hidden', () => {
    expect(hideInPath(`GET /array/${key}/config.js?ip=0 HTTP/1.1`)).toBe('GET /array/(hidden)/config.js?ip=0 HTTP/1.1')
    expect(hideInPath(`{"target":"/v1/projects/${key}/settings"}`)).toBe('{"target":"/v1/projects/(hidden)/settings"}')
    for (const text of [
      '/webhdfs/v1/array/x?op=OPEN',
      '/rest/1.0/hdfs?path=/array/x',
      '/v1/batch',
      '/arrays/x',
      '/data/v1/projects/x/settings',
      'https://shop.example/shop/array/x',
      '{"path":"/data/array/x"}',
    ])
      expect(hideInText(text)).toBe(text)
  })

  test('is looked for in time', () => {
    for (const part of ['/array/', 'https://a/array/', '/array/x/config', 'http://', '/v1/projects'])
      expect(hideInPath(part.repeat(200_000))).toBeDefined()
  })
})

test('what holds the key of a sender in a body is hidden in a query, too', () => {
  const names = contract.operations.flatMap(({ id }) => keysOf(id)).map(path => path.split('.').at(-1) ?? path)
  expect(names).toContain('writeKey')
  for (const name of names) {
    expect(isSecretParameter(name), name).toBe(true)
    expect(hideInText(`GET /e?v=1&${name}=${key}&a=b`)).toBe(`GET /e?v=1&${name}=(hidden)&a=b`)
  }
})
