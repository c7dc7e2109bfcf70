import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { buildBeacon } from '../../../scripts/generate/beacon.ts'

/** The clients among the exports, by their sources. */
const entries = Object.entries(packageJson.exports)
  .filter(([name]) => name !== '.')
  .map(([name, { default: file }]) => [name, file.replace('./dist/', '').replace(/\.js$/, '.ts')] as const)

/** A file and all that it imports, by path; packages and modules of Node by name. */
const reach = (file: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  for (const [, specifier = ''] of text.matchAll(/^(?:import|export)\s[^'"`;]*?from\s+'([^']+)'/gm)) {
    if (specifier.startsWith('.')) reach(normalize(join(dirname(file), specifier)), seen)
    else seen.add(specifier)
  }
  return seen
}

describe('the clients', () => {
  test('each has an entry', () => {
    expect(entries.map(([name]) => name)).toEqual(['./client', './tracker', './gateway-client', './beacon'])
  })

  test.each(entries)('%s brings no server code', (_name, file) => {
    const strangers = [...reach(file)].filter(
      path =>
        !/^clients\/|^src\/formats\/|^src\/(?:errors|contract\/types\.gen)\.ts$|^node:|^openapi-fetch$/.test(path),
    )
    expect(strangers).toEqual([])
  })

  test.each(entries.filter(([name]) => ['./client', './beacon'].includes(name)))('%s needs no Node', (_name, file) => {
    expect([...reach(file)].filter(path => path.startsWith('node:'))).toEqual([])
  })

  test.each(globSync('clients/*/examples/*.ts'))('%s is in its README', file => {
    expect(readFileSync(join(dirname(file), '../README.md'), 'utf8')).toContain(readFileSync(file, 'utf8').trim())
  })
})

describe('the beacon', () => {
  test('is one module of at most 3 KB, compressed', async () => {
    const code = await buildBeacon()
    expect(code).not.toMatch(/\bimport\b/)
    expect(gzipSync(code).length).toBeLessThanOrEqual(3 * 1024)
  })

  test('sends by GET and by beacon', async () => {
    const code = await buildBeacon()
    const { createBeacon, field } = (await import(
      `data:text/javascript,${encodeURIComponent(code)}`
    )) as typeof import('../../../clients/beacon/beacon.ts')
    const sent: string[] = []
    const beacon = createBeacon({
      url: 'http://collector.test/',
      fetch: async (url, { keepalive, credentials }) => sent.push(`${url} ${keepalive} ${credentials}`),
      sendBeacon: (url, body) => sent.push(`${url} ${body}`) > 0,
    })
    beacon.get('A', field.i32(65), field.text('ä,b'))
    expect(beacon.send('B', { eventDate: 1, big: 2n ** 60n })).toBe(true)
    expect(sent).toEqual([
      'http://collector.test/2?v=A%2C400%2Cs%25C3%25A4%252Cb true omit',
      'http://collector.test/rest/1.0/event {"eventName":"B","payload":{"eventDate":1,"big":1152921504606846976}}',
    ])
  })

  test('a browser that takes no beacon is reported', async () => {
    const { createBeacon } = await import('../../../clients/beacon/beacon.ts')
    expect(createBeacon({ sendBeacon: () => false }).send('A', {})).toBe(false)
  })

  test('a GET that fails raises no error', async () => {
    const { createBeacon } = await import('../../../clients/beacon/beacon.ts')
    const beacon = createBeacon({ version: 1, fetch: () => Promise.reject(new TypeError('offline')) })
    expect(beacon.get('A')).toBe('/1?v=A')
  })
})
