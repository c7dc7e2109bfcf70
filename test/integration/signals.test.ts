import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { cleanUp, createDirectory, start, stub } from './process/child.ts'

afterEach(cleanUp)

/**
 * A package whose start script is word for word the real one, without installing anything: `npm start` there runs the
 * stub, or the real server.
 */
const createPackage = (main: string): string => {
  const directory = createDirectory()
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', scripts: { start: scripts.start } }))
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'))
  symlinkSync(main === stub ? createStubSource() : resolve('src'), join(directory, 'src'))
  return directory
}

const createStubSource = (): string => {
  const directory = createDirectory()
  writeFileSync(join(directory, 'main.ts'), `import ${JSON.stringify(stub)}\n`)
  return directory
}

/** A pseudo-terminal, as `script` of util-linux makes one: what is written to it is typed. */
const hasScript = spawnSync('script', ['-qefc', 'true', '/dev/null']).status === 0

describe('npm start', () => {
  test('hands SIGTERM on: a clean drain, exit code 0', async () => {
    const npm = start('npm', ['start', '--silent'], { cwd: createPackage(stub) })
    const ready = await npm.logged('sluice is ready')
    const slow = fetch(`${String(ready['server'])}/slow`)
    await npm.logged('slow request arrived')
    npm.process.kill('SIGTERM')
    await npm.logged('draining')
    await fetch(`${String(ready['admin'])}/release`)
    expect((await slow).status).toBe(200)
    expect(await npm.ended()).toBe(0)
    expect(npm.output()).toContain('"msg":"stopped"')
  })

  test.skipIf(!hasScript)('drains once on Ctrl-C in a terminal, although npm passes it on', async () => {
    // `exec`: a shell between the terminal and npm, such as dash, would end with 130 of its own.
    const npm = start('script', ['-qefc', 'exec npm start --silent', '/dev/null'], { cwd: createPackage(stub) })
    const ready = await npm.logged('sluice is ready')
    const slow = fetch(`${String(ready['server'])}/slow`)
    await npm.logged('slow request arrived')
    npm.process.stdin?.write('\x03')
    expect(await npm.logged('draining')).toMatchObject({ signal: 'SIGINT' })
    await fetch(`${String(ready['admin'])}/release`)
    expect((await slow).status).toBe(200)
    expect(await npm.ended()).toBe(0)
    expect(npm.output().match(/"msg":"draining"/g)).toHaveLength(1)
    expect(npm.output()).toContain('"msg":"stopped"')
  })

  test('starts and stops the real server', async () => {
    const env = { SLUICE_COLLECTOR_SCRIBE_PORT: '0' }
    const npm = start('npm', ['start', '--silent'], { cwd: createPackage('src/main.ts'), env })
    const ready = await npm.logged('sluice is ready')
    expect((await fetch(`${String(ready['server'])}/livez`)).status).toBe(200)
    npm.process.kill('SIGTERM')
    expect(await npm.ended()).toBe(0)
  })
})
