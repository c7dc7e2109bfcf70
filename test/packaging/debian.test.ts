import { execFile } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { makeDeb, toDebianVersion } from '../../scripts/release/deb.ts'
import { stageProduct } from '../../scripts/release/stage.ts'
import { closeTimeoutMs } from '../../src/app/run.ts'
import { describePart } from '../suites/describe-part.ts'
import { debianRoot, missingForDebianRoot } from './debian-root.ts'
import { type Isolated, startIsolated } from './isolated.ts'

/** Some time on every file. */
const date = 1_750_000_000

const unit = readFileSync('deploy/debian/sluice.service', 'utf8')
const unitField = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''

/** A command's output, both streams together; what fails says so in it. */
const run = (program: string, ...args: readonly string[]): Promise<string> =>
  promisify(execFile)(program, args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    maxBuffer: 64 << 20,
  }).then(({ stdout, stderr }) => stdout + stderr)

const missing = await missingForDebianRoot('dpkg-deb', 'lintian', 'systemd-analyze', 'nsenter')

describePart('debian', missing, 'the package of Debian', () => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-debian-'))
  const root = join(home, 'root')
  let [before, now] = ['', '']
  let running: Isolated | undefined

  beforeAll(async () => {
    await mkdir(root)
    const product = join(home, 'product')
    await stageProduct({ directory: product, architecture: 'x64', date })
    const options = { product, architecture: 'x64', date, directory: home, compression: 'gzip' } as const
    before = makeDeb({ ...options, version: '0.0.1' })
    now = makeDeb({ ...options, version: packageJson.version })
    await rm(product, { recursive: true })
    await run('tar', '-xf', await debianRoot(), '-C', root)
  }, 600_000)
  afterAll(async () => {
    await running?.end('SIGKILL')
    await rm(home, { recursive: true, force: true })
  })

  const inRoot = (...words: readonly string[]): Promise<string> => run('chroot', root, ...words)

  /** Its user and group by number, as in the files of the root. */
  const user = (): string | undefined =>
    /^sluice:[^:]*:(\d+:\d+):/m.exec(readFileSync(join(root, 'etc/passwd'), 'utf8'))?.[1]

  /** What the unit starts, as its user; only the state directory can be written. */
  const start = async (): Promise<Isolated> => {
    const state = join('/var/lib', unitField('StateDirectory'))
    running = await startIsolated(unitField('ExecStart').split(' '), {
      root,
      volumes: { [state]: join(root, state) },
      user: user() ?? '',
      directory: unitField('WorkingDirectory'),
      hasOnlyProcesses: true,
      env: { PATH: '/usr/bin:/bin', NO_COLOR: '1', HOME: '/var/lib/sluice' },
    })
    await running.printed('sluice is ready')
    return running
  }
  const out = async (server: Isolated, ...command: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await server.exec(command)
    expect([command, code, stderr]).toEqual([command, 0, expect.anything()])
    return stdout
  }

  test('has nothing that lintian objects to, and its size', async () => {
    console.info(`${now}: ${Math.round(statSync(now).size / 1e6)} MB, packed in haste`)
    expect(await run('lintian', '--no-cfg', '--allow-root', '--fail-on', 'none', now)).toBe('')
  })

  test('is installed, with a user and a directory of its own, and not started here', async () => {
    await run('cp', before, now, join(root, 'root'))
    await inRoot('dpkg', '--install', `/root/sluice_0.0.1_amd64.deb`)
    expect(user()).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const { uid, mode } = statSync(join(root, 'var/lib/sluice'))
    expect([uid, (mode & 0o7777).toString(8)]).toEqual([Number(user()?.split(':')[0]), '750'])
    expect(await inRoot('sluice', '--version')).toContain(`sluice/${packageJson.version} linux-x64 node-v`)
    expect(await inRoot('sluice', 'config', '--config', '/etc/sluice/sluice.yaml', 'data.dir')).toContain(
      '/var/lib/sluice',
    )
    // Commands go by the settings of the service.
    expect(await inRoot('sluice', 'config', '--changed')).toBe(
      await inRoot('sluice', 'config', '--changed', '--config', '/etc/sluice/sluice.yaml'),
    )
    expect(await inRoot('sluice', 'config', 'data.dir')).toContain('/var/lib/sluice')
  })

  test('what its unit starts takes an event and shows it', async () => {
    const server = await start()
    await out(server, 'sluice', 'send', 'PageView', 'path=/news')
    await out(server, 'sluice', 'flush', 'now')
    expect(await out(server, 'sluice', 'fs', 'rows', '--recursive', '/events/PageView')).toContain('/news')
    expect(await server.exec(['touch', '/etc/sluice/x'])).toMatchObject({
      stderr: expect.stringContaining('Read-only'),
    })
    expect(await server.end('SIGTERM')).toBe(0)
  })

  test('an upgrade keeps settings and events', async () => {
    const settings = join(root, 'etc/sluice/sluice.yaml')
    appendFileSync(settings, 'admin.vendor: mine\n')
    const old = await start()
    await out(old, 'sluice', 'send', 'Kept', 'n=1')
    await old.end('SIGKILL')
    await inRoot('dpkg', '--install', `/root/sluice_${toDebianVersion(packageJson.version)}_amd64.deb`)
    expect(readFileSync(settings, 'utf8')).toContain('admin.vendor: mine')
    const server = await start()
    await out(server, 'sluice', 'flush', 'now')
    const rows = await out(server, 'sluice', 'fs', 'rows', '--recursive', '/events/Kept', '--output', 'ndjson')
    expect(rows.trim().split('\n').filter(Boolean)).toHaveLength(1)
    expect(await server.end('SIGTERM')).toBe(0)
  })

  test('when it is removed its settings stay; when it is purged the events stay, and it says so', async () => {
    await inRoot('dpkg', '--remove', 'sluice')
    expect([existsSync(join(root, 'usr/lib/sluice')), existsSync(join(root, 'etc/sluice/sluice.yaml'))]).toEqual([
      false,
      true,
    ])
    expect(await inRoot('dpkg', '--purge', 'sluice')).toContain('/var/lib/sluice is kept')
    expect(existsSync(join(root, 'etc/sluice'))).toBe(false)
    expect(readdirSync(join(root, 'var/lib/sluice'))).toContain('fs')
    expect(user()).toBeDefined()
  })

  test('where nothing is left behind, the user goes as well', async () => {
    await inRoot('dpkg', '--install', `/root/sluice_0.0.1_amd64.deb`)
    await rm(join(root, 'var/lib/sluice'), { recursive: true })
    await inRoot('dpkg', '--purge', 'sluice')
    expect(user()).toBeUndefined()
  })
})

describePart('debian', missing, 'sluice.service', () => {
  test('exposes the system as little as a server in JavaScript can', async () => {
    const said = await run(
      'systemd-analyze',
      'security',
      '--offline=true',
      '--threshold=20',
      'deploy/debian/sluice.service',
    )
    expect(said).toMatch(/Overall exposure level for sluice.service: [01]\.\d/)
  })
})

describe('the unit', () => {
  test('waits longer for the drain than the drain takes at the most', () => {
    expect(Number(unitField('TimeoutStopSec'))).toBe(closeTimeoutMs / 1000 + 10)
  })
})
