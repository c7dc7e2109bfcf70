import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { describePart } from '../suites/describe-part.ts'
import { missingForDebianRoot } from './debian-root.ts'
import { buildImage, type Image } from './image.ts'
import { childrenOf, type Isolated, startIsolated } from './isolated.ts'

/** Most that the image adds to its base, in MB: what runs, and what that depends on. */
const maxMegabytes = 60

describePart('buildah', await missingForDebianRoot('buildah', 'nsenter'), 'the image of deploy/Containerfile', () => {
  let image: Image
  let volume: string
  const running = new Set<Isolated>()

  beforeAll(async () => {
    image = await buildImage()
  }, 600_000)
  afterAll(() => image?.close())

  const words = () => [...image.config.Entrypoint, ...image.config.Cmd]

  /** `docker run --read-only --tmpfs /tmp --volume …:/var/lib/sluice` */
  const run = async (command = words(), env: Readonly<Record<string, string>> = {}): Promise<Isolated> => {
    const { config, root } = image
    const own = Object.fromEntries(config.Env.map(one => one.split(/=(.*)/s).slice(0, 2)))
    const container = await startIsolated(command, {
      root,
      volumes: Object.fromEntries(Object.keys(config.Volumes).map(path => [path, volume])),
      user: config.User,
      directory: config.WorkingDir,
      env: { ...own, NO_COLOR: '1', ...env },
    })
    running.add(container)
    return container
  }
  const serve = async (env?: Readonly<Record<string, string>>): Promise<Isolated> => {
    const container = await run(words(), env)
    await container.printed('sluice is ready')
    return container
  }
  const out = async (container: Isolated, ...command: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await container.exec(command)
    expect([command, code, stderr]).toEqual([command, 0, expect.anything()])
    return stdout
  }

  beforeAll(() => {
    // Engines give a new volume the owner of the directory in the image.
    volume = mkdtempSync(join(tmpdir(), 'sluice-volume-'))
    const { uid, gid } = statSync(join(image.root, '/var/lib/sluice'))
    chownSync(volume, uid, gid)
  })
  afterEach(async () => {
    for (const container of running) await container.end('SIGKILL')
    running.clear()
  })
  afterAll(() => rm(volume, { recursive: true, force: true }))

  test('says what it is, who runs it, what is kept, and how it ends', () => {
    expect(image.config).toMatchObject({
      User: '10001:10001',
      Volumes: { '/var/lib/sluice': {} },
      ExposedPorts: { '8080/tcp': {} },
      StopSignal: 'SIGTERM',
      Labels: { 'org.opencontainers.image.version': packageJson.version },
    })
  })

  test(`adds less than ${maxMegabytes} MB to its base, and no program of another`, () => {
    const megabytes = Number.parseInt(
      execFileSync('du', ['-sm', join(image.root, 'usr/lib/sluice')], { encoding: 'utf8' }),
      10,
    )
    console.info(`the image: ${megabytes} MB on its base`)
    expect(megabytes).toBeLessThan(maxMegabytes)
    expect(megabytes).toBeGreaterThan(10)
  })

  test('one command collects an event and shows it; files stay in the container, events come in from outside', async () => {
    const container = await serve()
    const ready = JSON.parse(await container.printed('sluice is ready')) as Record<string, unknown>
    expect(ready).toMatchObject({ gateway: 'http://127.0.0.1:8082', admin: 'http://127.0.0.1:8081', pid: 1 })
    const listening = await out(container, 'cat', '/proc/net/tcp')
    expect(listening).toContain(' 00000000:1F90 00000000:0000 0A ')
    const command =
      'sluice send PageView path=/news user.id=7 && sluice flush now && sluice fs rows /events/PageView --recursive'
    expect(await out(container, 'sh', '-c', command)).toMatch(/1 event[\s\S]*\/news/)
    expect(await container.end('SIGTERM')).toBe(0)
  })

  test('runs as its user, on a root that cannot be written', async () => {
    const container = await serve()
    expect(readFileSync(`/proc/${container.pid}/status`, 'utf8')).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m)
    for (const path of ['/x', '/etc/sluice/x', '/usr/lib/sluice/x']) {
      expect(await container.exec(['touch', path])).toMatchObject({ stderr: expect.stringContaining('Read-only') })
    }
    await out(container, 'touch', '/var/lib/sluice/x')
    expect(await container.end('SIGTERM')).toBe(0)
  })

  test('what was acknowledged is there after a kill, once', async () => {
    const first = await serve()
    await out(first, 'sluice', 'send', 'Kept', 'n=1')
    expect(await first.end('SIGKILL')).not.toBe(0)
    const second = await serve()
    await out(second, 'sluice', 'flush', 'now')
    const rows = await out(second, 'sluice', 'fs', 'rows', '/events/Kept', '--recursive', '--output', 'ndjson')
    expect(rows.trim().split('\n').filter(Boolean)).toHaveLength(1)
    expect(await second.end('SIGTERM')).toBe(0)
    expect(second.output()).toMatch(/"msg":"draining"[\s\S]*"msg":"stopped"/)
  })

  test('its health check is 0, and not where events are refused or nothing runs', async () => {
    const [kind, ...check] = image.config.Healthcheck.Test
    expect(kind).toBe('CMD')
    const well = await serve()
    expect(await well.exec(check)).toMatchObject({ code: 0 })
    await well.end('SIGTERM')
    const full = await serve({ SLUICE_COLLECTOR_DISKSPOOL_MIN_FREE_BYTES: '1000000GiB' })
    expect(await full.exec(check)).toMatchObject({ code: 1 })
    await full.end('SIGTERM')
    const nothing = await run(['sleep', '1000'])
    await expect.poll(() => nothing.exec(check)).toMatchObject({ code: 3 })
    await nothing.end('SIGKILL')
  })

  test('a process that it started leaves no zombie, though it is the first one', async () => {
    const container = await serve()
    await out(
      container,
      'sh',
      '-c',
      'sluice send Read n=1 && sluice flush now && sluice fs rows /events/Read --recursive',
    )
    const [reader] = childrenOf(container.pid)
    if (reader === undefined) throw new Error('Nothing reads')
    process.kill(reader, 'SIGKILL')
    await expect.poll(() => childrenOf(container.pid)).not.toContain(reader)
    expect(await out(container, 'sluice', 'fs', 'rows', '/events/Read', '--recursive')).not.toContain('no rows')
    expect(await container.end('SIGTERM')).toBe(0)
  })
})

describe('the file', () => {
  test('has the version of the package', () => {
    expect(readFileSync('deploy/Containerfile', 'utf8')).toContain(`ARG VERSION=${packageJson.version}\n`)
  })
})
