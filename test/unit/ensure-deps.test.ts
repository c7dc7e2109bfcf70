import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-install-'))
  mkdirSync(join(directory, 'bin'))
  copyFileSync(join(root, 'package-lock.json'), join(directory, 'package-lock.json'))
  setNpm('mkdir -p node_modules')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** What is asked of npm goes into a file; whether it does it is the registry's and its own matter. */
const setNpm = (then: string): void => {
  const npm = join(directory, 'bin/npm')
  writeFileSync(npm, `#!/bin/sh\necho "$@" >> asked\n${then}\n`)
  chmodSync(npm, 0o755)
}

/** Runs the script as `npm start` or `npm test` would. @returns what npm was asked to do, and the exit status */
const run = (mode: 'run' | 'all'): { readonly asked: string; readonly status: number | null } => {
  const asked = join(directory, 'asked')
  rmSync(asked, { force: true })
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/ensure-deps.js'), mode], {
    cwd: directory,
    env: { PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}` },
  })
  return { asked: existsSync(asked) ? readFileSync(asked, 'utf8') : '', status }
}

const ofStart = /^ci --omit=dev --ignore-scripts --include=optional .*\n$/
const ofTest = /^ci --include=dev --include=optional .*\n$/

describe('what is installed before', () => {
  test('npm start is what it runs only, npm test installs the rest, and npm start after it nothing', () => {
    expect(run('run')).toEqual({ asked: expect.stringMatching(ofStart), status: 0 })
    expect(run('run')).toEqual({ asked: '', status: 0 })
    expect(run('all')).toEqual({ asked: expect.stringMatching(ofTest), status: 0 })
    expect(run('all')).toEqual({ asked: '', status: 0 })
    expect(run('run')).toEqual({ asked: '', status: 0 })
  })

  test('npm start is brought up to date when the lock file changes', () => {
    run('all')
    writeFileSync(join(directory, 'package-lock.json'), '{}')
    expect(run('run').asked).toMatch(ofStart)
    expect(run('all').asked).toMatch(ofTest)
  })

  test('it failed is tried again', () => {
    setNpm('mkdir -p node_modules; exit 7')
    expect(run('run')).toEqual({ asked: expect.stringMatching(ofStart), status: 7 })
    setNpm('mkdir -p node_modules')
    expect(run('run')).toEqual({ asked: expect.stringMatching(ofStart), status: 0 })
  })

  test('npm start and npm test: they say so', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }
    expect(scripts).toMatchObject({
      prestart: 'node scripts/ensure-deps.js run',
      pretest: 'node scripts/ensure-deps.js all',
    })
  })
})
