import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGatewayClient } from '../../clients/gateway/gateway-client.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { findProgram } from '../../scripts/find-program.ts'
import { nextVersion } from '../../scripts/release/version.ts'
import { validateBill } from '../foreign/validate-bill.ts'
import { cleanUp, createDirectory, start } from '../integration/process/child.ts'
import { cloneHere, run } from './make.ts'

const version = nextVersion(packageJson.version, 'minor')
const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
const another = architecture === 'x64' ? 'arm64' : 'x64'
const name = `sluice-${version}-linux-${architecture}`
const deb = `sluice_${version}_${architecture === 'x64' ? 'amd64' : 'arm64'}.deb`
const hasDebianTools = (await findProgram('dpkg-deb')) !== undefined
/** Packed as for a release, which takes minutes: for the night. */
const isThorough = process.env['SLUICE_TEST_RELEASE'] === '1'
const packing = isThorough ? [] : ['--hasty']
const clone = createDirectory()
const files = join(clone, 'release', version)
const git = (...args: readonly string[]) => run('git', args, { cwd: clone })
const release = (...args: readonly string[]) =>
  run('npm', ['run', '--silent', 'release', '--', ...args], { cwd: clone })

beforeAll(() => cloneHere(clone))
afterAll(cleanUp)

describe.runIf(process.platform === 'linux')('npm run release', () => {
  test.each([
    { wanted: packageJson.version, prepare: [], want: 'does not come after' },
    { wanted: 'minor', prepare: ['switch', '--quiet', '--create', 'other'], want: 'made on main; this is other' },
    { wanted: 'minor', prepare: ['rm', '--quiet', 'LICENSE'], want: 'not committed:\nD  LICENSE' },
    { wanted: 'minor', prepare: ['tag', `v${version}`], want: `tag v${version} is there` },
  ])('refuses: $want', async ({ wanted, prepare, want }) => {
    const before = await git('rev-parse', 'HEAD')
    if (prepare.length > 0) await git(...prepare)
    try {
      await expect(release(wanted)).rejects.toThrow(want)
      expect(await git('rev-parse', 'HEAD')).toBe(before)
    } finally {
      await git('reset', '--quiet', '--hard')
      await git('switch', '--quiet', 'main')
      if (prepare[0] === 'tag') await git('tag', '--delete', `v${version}`)
    }
  })

  test('takes its commit back when an artefact cannot be made', async () => {
    const before = await git('rev-parse', 'HEAD')
    await expect(release('minor', '--arch', 'sparc')).rejects.toThrow('There is no Node for sparc')
    expect([await git('rev-parse', 'HEAD'), await git('status', '--porcelain')]).toEqual([before, ''])
    expect([existsSync(files), await git('tag')]).toEqual([false, ''])
  })

  test('--dry-run says the version and changes nothing', async () => {
    const before = await git('rev-parse', 'HEAD')
    expect(await release('minor', '--dry-run')).toContain(`would release ${version}`)
    expect([await git('rev-parse', 'HEAD'), await git('status', '--porcelain')]).toEqual([before, ''])
    expect([existsSync(files), await git('tag')]).toEqual([false, ''])
  })

  test('writes the version, tells it in CHANGELOG, makes everything, and tags', async () => {
    expect(await release('minor', '--arch', architecture, ...packing)).toContain(`Released ${version}`)
    expect(await git('status', '--porcelain')).toBe('')
    expect(await git('log', '-1', '--format=%s %D')).toMatch(new RegExp(`: ${version} .*tag: v${version}`))
    expect(await git('cat-file', '-t', `v${version}`)).toBe('tag\n')
    const read = (path: string): string => readFileSync(join(clone, path), 'utf8')
    for (const path of ['package.json', 'package-lock.json', 'src/contract/openapi.gen.json'])
      expect([path, read(path)]).toEqual([path, expect.stringContaining(version)])
    expect(read('openapi.yaml')).toContain(`\n  version: ${version}\n`)
    expect(read('CHANGELOG.md')).toMatch(new RegExp(`## Unreleased\n\n## ${version} - \\d{4}-\\d\\d-\\d\\d\n\n### `))
    expect(readdirSync(files).sort()).toEqual(
      [
        'SHA256SUMS',
        `${name}.tar.gz`,
        ...(hasDebianTools ? [deb] : []),
        `sluice-${version}.cdx.json`,
        `sluice-${version}.tgz`,
        ...['beacon', 'client', 'gateway-client', 'tracker'].map(one => `sluice-${one}-${version}.tgz`),
      ].sort(),
    )
    const checked = (await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: files })).trim().split('\n')
    expect(checked).toEqual(
      readdirSync(files)
        .filter(file => file !== 'SHA256SUMS')
        .map(file => `${file}: OK`),
    )
  }, 600_000)

  test('the same commit gives the same bytes: elsewhere, at another time, with another umask', async () => {
    const other = join(createDirectory(), 'other')
    await run('sh', ['-c', `umask 077 && git clone --quiet '${clone}' '${other}'`], { cwd: clone })
    symlinkSync(join(clone, 'node_modules'), join(other, 'node_modules'))
    const make = `umask 077 && npm run --silent artefacts -- --directory made --arch ${architecture} ${packing.join(' ')}`
    await run('sh', ['-c', make], { cwd: other, env: { TZ: 'Asia/Tokyo', LC_ALL: 'C' } })
    expect(readFileSync(join(other, 'made/SHA256SUMS'), 'utf8')).toBe(readFileSync(join(files, 'SHA256SUMS'), 'utf8'))
  }, 600_000)

  test.runIf(isThorough)(
    'where there is no dpkg-deb it says so and makes the rest; for another processor as well',
    async () => {
      const bin = createDirectory()
      for (const program of ['sh', 'git', 'tar', 'gzip', 'node', 'npm'])
        symlinkSync((await findProgram(program)) ?? '', join(bin, program))
      const args = ['run', '--silent', 'artefacts', '--', '--hasty', '--directory', 'rest', '--arch', another]
      const env = { PATH: bin }
      const said = await run('sh', ['-c', `npm ${args.join(' ')} 2>&1`], { cwd: clone, env })
      expect(said).toContain('there is no dpkg-deb here')
      expect(readdirSync(join(clone, 'rest')).sort()).toEqual(
        readdirSync(files)
          .filter(file => !file.endsWith('.deb') && file !== `${name}.tar.gz`)
          .concat(`sluice-${version}-linux-${another}.tar.gz`)
          .sort(),
      )
    },
    300_000,
  )

  test.runIf(hasDebianTools)('the package of Debian is of this version, and has the manual of no machine', async () => {
    const read = (...args: readonly string[]) => run('dpkg-deb', args, { cwd: files })
    expect(await read('--field', deb, 'Package', 'Version')).toBe(`Package: sluice\nVersion: ${version}\n`)
    const place = createDirectory()
    await read('--extract', deb, place)
    const manual = await run('gzip', ['-dc', 'usr/share/man/man1/sluice.1.gz'], { cwd: place })
    expect(manual).toContain('USAGE')
    expect(manual).not.toMatch(/linux|node-v/)
  })

  describe('the tarball', () => {
    const place = createDirectory()
    const sluice = join(place, name, 'bin/sluice')
    /** Not even a shell's own tools, and no other Node. */
    const nothing = { PATH: '/nonexistent' }

    beforeAll(() => run('tar', ['-xzf', join(files, `${name}.tar.gz`)], { cwd: place }))

    test('has files without an owner, with the time of the commit', async () => {
      const listed = (
        await run('tar', ['--numeric-owner', '-tvzf', join(files, `${name}.tar.gz`)], { cwd: place })
      ).split('\n')
      expect(listed.filter(line => !/^[dl-]rwxr-xr-x 0\/0 |^-rw-r--r-- 0\/0 |^lrwxrwxrwx 0\/0 |^$/.test(line))).toEqual(
        [],
      )
      const [, day] = /0\/0 +\d+ (\S+ \S+) /.exec(listed[0] ?? '') ?? []
      expect(listed.filter(line => line !== '' && !line.includes(` ${day} `))).toEqual([])
      expect(readdirSync(join(place, name)).sort()).toEqual(
        ['CHANGELOG.md', 'LICENSE', 'LICENSE.node', 'README.md', 'bin', 'lib'].sort(),
      )
    })

    test('runs with nothing else on the PATH, also through a link', async () => {
      const link = join(place, 'link')
      symlinkSync(sluice, link)
      for (const program of [sluice, link])
        expect(execFileSync(program, ['--version'], { env: nothing, encoding: 'utf8' })).toContain(`sluice/${version} `)
      const server = start(link, ['serve'], { env: { ...nothing, SLUICE_COLLECTOR_SCRIBE_PORT: '0' } })
      const { server: url, admin, pid } = await server.logged('sluice is ready')
      expect(pid).toBe(server.process.pid)
      expect((await fetch(`${String(url)}/1?v=Unpacked,sfine`)).status).toBe(202)
      execFileSync(sluice, ['flush', 'now', '--url', String(admin)], { env: nothing })
      const { hostname, port } = new URL(String(url))
      await using client = createGatewayClient({ host: hostname, port: Number(port) })
      const rows = await Array.fromAsync(client.rows('/events/Unpacked', { recursive: true }))
      expect(rows).toEqual([expect.objectContaining({ 1: 'fine' })])
      expect(await (await fetch(`${String(admin)}/metrics`)).text()).toContain(`sluice_info{version="${version}"} 1`)
      expect(await (await fetch(`${String(url)}/openapi.json`)).json()).toMatchObject({ info: { version } })
      server.process.kill('SIGTERM')
      expect(await server.ended()).toBe(0)
    })

    test('its bill of materials is CycloneDX, and has every package that is in it with its version', async () => {
      const text = readFileSync(join(files, `sluice-${version}.cdx.json`), 'utf8')
      expect(await validateBill(text)).toBeNull()
      const bill = JSON.parse(text) as {
        readonly metadata: { readonly component: object }
        readonly components: readonly { readonly name: string; readonly version: string }[]
      }
      expect(bill.metadata.component).toMatchObject({ name: 'sluice', version })
      const listed = new Set(bill.components.map(one => `${one.name}@${one.version}`))
      const modules = join(place, name, 'lib/sluice/node_modules')
      const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { readonly packages: object }
      const inside = Object.keys(lock.packages).filter(path => path !== '' && existsSync(join(modules, '..', path)))
      expect(inside.length).toBeGreaterThan(50)
      const manifests = inside.map(path => JSON.parse(readFileSync(join(modules, '..', path, 'package.json'), 'utf8')))
      expect(manifests.map(one => `${one.name}@${one.version}`).filter(one => !listed.has(one))).toEqual([])
    })

    test('it has the Node that its makers built', () => {
      const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
      const inside = join(place, name, 'lib/sluice/bin/node')
      expect(hash(inside)).toBe(hash(join('node_modules', `node-linux-${architecture}`, 'bin/node')))
    })
  })
})
