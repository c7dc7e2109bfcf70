import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, createDirectory, start, stub } from './process/child.ts'

afterEach(cleanUp)

const run = (args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  start(process.execPath, [stub, ...args], { env })

describe('the process', () => {
  test('says in one line where it listens, and drains on SIGTERM', async () => {
    const server = run()
    const ready = await server.logged('sluice is ready')
    expect(ready).toMatchObject({
      server: expect.stringMatching(/^http:\/\/127\.0\.0\.1:[1-9]/),
      admin: expect.stringMatching(/^http/),
    })
    const slow = fetch(`${String(ready['server'])}/slow`)
    await server.logged('slow request arrived')
    server.process.kill('SIGTERM')
    expect(await server.logged('draining')).toMatchObject({ signal: 'SIGTERM' })
    await fetch(`${String(ready['admin'])}/release`)
    const answer = await slow
    expect([answer.status, answer.headers.get('connection'), await answer.text()]).toEqual([200, 'close', 'done'])
    expect(await server.ended()).toBe(0)
    expect(server.output()).toContain('"msg":"stopped"')
  })

  test('takes two signals at once as one', async () => {
    const server = run()
    const ready = await server.logged('sluice is ready')
    const slow = fetch(`${String(ready['server'])}/slow`)
    await server.logged('slow request arrived')
    server.process.kill('SIGINT')
    server.process.kill('SIGTERM')
    await server.logged('draining')
    await fetch(`${String(ready['admin'])}/release`)
    expect((await slow).status).toBe(200)
    expect(await server.ended()).toBe(0)
  })

  test('ends at once on a later signal', async () => {
    const server = run()
    const ready = await server.logged('sluice is ready')
    const slow = fetch(`${String(ready['server'])}/slow`).catch(() => 'cut')
    await server.logged('slow request arrived')
    // One after the other until one counts: those of the first second are taken as repetitions.
    const signals = setInterval(() => server.process.kill('SIGTERM'), 100)
    expect(await server.ended()).toBe(143)
    clearInterval(signals)
    expect(await slow).toBe('cut')
    expect(server.output()).not.toContain('"msg":"stopped"')
  })

  test('names every bad setting, without a stack, and exits with 2', async () => {
    const server = run(['--set', 'server.prot=1', '--set', 'collector.ack=fast'], { SLUICE_SERVER_PORT: 'x' })
    expect(await server.ended()).toBe(2)
    expect(server.output()).toMatch(
      /did you mean server\.port\?[\s\S]*server\.port \(from SLUICE_SERVER_PORT\)[\s\S]*collector\.ack/,
    )
    expect(server.output()).not.toMatch(/^\s+at /m)
  })

  test('warns about an unknown variable', async () => {
    const server = run([], { SLUICE_SERVICE_PORT: '1' })
    expect(await server.logged('SLUICE_SERVICE_PORT is not a setting; did you mean SLUICE_SERVER_PORT?')).toMatchObject(
      { level: 'warn' },
    )
    await server.logged('sluice is ready')
    server.process.kill('SIGTERM')
    expect(await server.ended()).toBe(0)
  })

  test('says that a port is taken, without a stack, and exits with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? String(address.port) : ''
    const server = run(['--set', `server.port=${port}`])
    expect(await server.ended()).toBe(1)
    other.close()
    expect(server.output()).toContain(`another program listens on 127.0.0.1:${port} already`)
    expect(server.output()).not.toMatch(/^\s+at /m)
  })

  test('says what a part says when it cannot start; a stack only for a bug', async () => {
    const locked = run([], { STUB_FAIL: 'locked' })
    expect([await locked.ended(), locked.output()]).toEqual([
      1,
      'Sluice cannot start. The spool is in use by process 1.\n',
    ])
    const bug = run([], { STUB_FAIL: 'bug' })
    expect([await bug.ended(), bug.output()]).toEqual([1, expect.stringMatching(/undefined is not a function\n\s+at /)])
  })

  test('--help shows examples and settings', async () => {
    const server = run(['--help'])
    expect(await server.ended()).toBe(0)
    expect(server.output()).toMatch(/npm start -- --set[\s\S]*collector\.max-body-bytes .*\[64MiB\]/)
  })
})

describe('the launcher', () => {
  /** A package with the launcher and these entries, each of which says its name and exits with 3. */
  const launch = (...entries: readonly string[]) => launchIn(createDirectory(), entries)
  const launchIn = (
    directory: string,
    entries: readonly string[],
    flags: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ) => {
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
    for (const entry of entries) {
      mkdirSync(join(directory, dirname(entry)), { recursive: true })
      writeFileSync(join(directory, entry), `console.log('${entry}', ...process.argv.slice(2)); process.exitCode = 3`)
    }
    mkdirSync(join(directory, 'bin'))
    copyFileSync('bin/sluice.js', join(directory, 'bin/sluice.js'))
    return start(process.execPath, [...flags, join(directory, 'bin/sluice.js'), 'beans', '--json'], { env })
  }

  test.each([
    ['the sources', ['admin/cli/main.ts'], 'admin/cli/main.ts beans --json\n'],
    ['dist where it is', ['admin/cli/main.ts', 'dist/admin/cli/main.js'], 'dist/admin/cli/main.js beans --json\n'],
  ])('runs %s, with its arguments and exit code', async (_, entries, want) => {
    const child = launch(...entries)
    expect([await child.ended(), child.output()]).toEqual([3, want])
  })

  test.each([
    ['of its own dependencies', 'sluice/node_modules/.bin'],
    ['of the project that depends on it', '.bin'],
  ])('hands over to the Node %s where this one is too old', async (_, folder) => {
    const modules = join(createDirectory(), 'node_modules')
    mkdirSync(join(modules, folder), { recursive: true })
    writeFileSync(join(modules, folder, 'node'), '#!/bin/sh\nshift; echo "newer: $*"; exit 4', { mode: 0o755 })
    const child = launchIn(join(modules, 'sluice'), ['admin/cli/main.ts'], ['--no-strip-types'])
    expect([await child.ended(), child.output()]).toEqual([4, 'newer: beans --json\n'])
  })

  test('keeps compiled code beside the code, and nowhere else', async () => {
    const [directory, temporary] = [join(createDirectory(), 'sluice'), createDirectory()]
    const child = launchIn(directory, ['admin/cli/main.ts'], [], { TMPDIR: temporary, NODE_COMPILE_CACHE: '' })
    expect(await child.ended()).toBe(3)
    expect(existsSync(join(directory, 'node_modules/.cache/sluice'))).toBe(true)
    expect(readdirSync(temporary)).toEqual([])
  })

  test('says when there is nothing to run', async () => {
    const child = launch()
    expect([await child.ended(), child.output()]).toEqual([1, expect.stringMatching(/^sluice is not complete/)])
  })
})
