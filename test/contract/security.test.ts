import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { toPackageRows, toRouteRows } from '../../scripts/generate/tables.ts'
import { settingsReference } from '../../src/config/print.ts'
import { roles } from '../../src/http/roles.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Licences that permit use, change and distribution by all; another one needs a decision. */
const allowed = [
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  '(MIT OR CC0-1.0)',
]

describe('S1: the routes', () => {
  test('every role that a route needs is one that a token can have', () => {
    const needed = new Set(toRouteRows().flatMap(row => row.roles))
    expect(needed).toEqual(new Set(roles))
  })

  test('what changes files needs the role write, and what reads them the role read', () => {
    const files = toRouteRows().filter(({ part, path }) => part === 'gateway' && path.startsWith('/rest/'))
    expect(files.length).toBeGreaterThan(5)
    for (const { method, path, roles: needed } of files) {
      expect([path, needed]).toEqual([path, [method === 'GET' ? 'read' : 'write']])
    }
  })
})

describe('the packages that the server runs on', () => {
  const packages = toPackageRows(read('package-lock.json'))

  test('have licences that are known', () => {
    expect(packages.filter(({ licence }) => !allowed.includes(licence))).toEqual([])
  })

  test('are all in SECURITY.md, the declared ones among them', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Readonly<Record<string, string>> }
    const listed = new Set(
      read('SECURITY.md')
        .split(/[|,]/)
        .map(part => part.trim()),
    )
    expect(packages.length).toBeGreaterThan(50)
    for (const [name, version] of Object.entries(dependencies)) {
      expect(packages).toContainEqual(expect.objectContaining({ name, version }))
    }
    for (const { name, version } of packages) expect(listed).toContain(`${name} ${version}`)
  })

  test('are all that src, admin and bin import', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Readonly<Record<string, string>> }
    const files = globSync('{src,admin,bin}/**/*.{ts,js}', { cwd: new URL('../../', import.meta.url) })
    const named = files.flatMap(file =>
      [...read(file).matchAll(/^(?:import|export)\s+(?!type\s)[^'"`;=]*?from\s+'([^.'][^']*)'/gm)].map(
        ([, name = '']) => name,
      ),
    )
    const packages = new Set(
      named.filter(name => !name.startsWith('node:')).map(name => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]),
    )
    expect(packages.size).toBeGreaterThan(5)
    expect([...packages].filter(name => !Object.hasOwn(dependencies, name ?? ''))).toEqual([])
  })

  test('are newer than what advisories tell of', () => {
    const [, section = ''] = /<!-- advisories -->\n(.*?)<!-- \/advisories -->/s.exec(read('SECURITY.md')) ?? []
    const mended = [...section.matchAll(/^\| ([^ ]+) \| (\d[^ ]*) \| GHSA-/gm)]
    expect(mended.length).toBeGreaterThan(5)
    for (const [, name = '', version = ''] of mended) {
      const locked = packages.filter(one => one.name === name)
      expect(locked, name).not.toEqual([])
      for (const one of locked) {
        expect([name, one.version.localeCompare(version, 'en', { numeric: true })]).not.toEqual([name, -1])
      }
    }
  })

  test('come from no address that the lock file fixes', () => {
    expect(read('package-lock.json')).not.toContain('"resolved": "http')
  })
})

test('the hardening of SECURITY.md is about settings as they are', () => {
  const [, section = ''] = /<!-- hardening -->\n(.*?)<!-- \/hardening -->/s.exec(read('SECURITY.md')) ?? []
  const rows = [...section.matchAll(/^\| (`[^`]+`) \| (.*?) \|/gm)]
  expect(rows.length).toBeGreaterThan(10)
  const known = settingsReference()
    .split('\n')
    .map(line => line.split(' | '))
  for (const [, key, value] of rows) {
    const row = known.find(([name]) => name === `| ${key}`)
    expect([key, row?.[2]]).toEqual([key, value])
  }
})
