import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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

  test('nothing where node_modules is a link: it belongs to another checkout, and would be emptied', () => {
    const other = join(directory, 'other')
    mkdirSync(other)
    symlinkSync(other, join(directory, 'node_modules'))
    expect(run('all')).toEqual({ asked: '', status: 0 })
    expect(run('run')).toEqual({ asked: '', status: 0 })
  })

  test('npm start is brought up to date when the lock file changes', () => {
    run('all')
    writeFileSync(join(directory, 'package-lock.json'), '{}')
    expect(run('run').asked).toMatch(ofStart)
    expect(run('all').asked).toMatch(ofTest)
  })

  test('it is retried after a failure', () => {
    setNpm('mkdir -p node_modules; exit 7')
    expect(run('run')).toEqual({ asked: expect.stringMatching(ofStart), status: 7 })
    setNpm('mkdir -p node_modules')
    expect(run('run')).toEqual({ asked: expect.stringMatching(ofStart), status: 0 })
  })

  test.skipIf(process.platform === 'win32')('npm 10 does not link the Node of its package: it is linked', () => {
    const node = join(directory, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
    setNpm(`mkdir -p node_modules/.bin ${dirname(node)}; echo > ${node}`)
    expect(run('run').status).toBe(0)
    expect(realpathSync(join(directory, 'node_modules/.bin/node'))).toBe(realpathSync(node))
  })

  test('npm pack --dry-run, whose option would reach npm: it is installed all the same', () =>
    expect(run('all').asked).toContain('--no-dry-run'))
})

describe('the scripts of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>
  }
  /** Those that need nothing but what the server runs on. */
  const ofRun = ['start', 'demo', 'example', 'hdfs', 'activemq', 'kafka']
  const own = Object.keys(scripts).filter(name => !name.startsWith('pre') && name !== 'postpack')

  test.each(own)('npm run %s installs what it needs', name =>
    expect(scripts[`pre${name}`]).toBe(`node scripts/ensure-deps.js ${ofRun.includes(name) ? 'run' : 'all'}`),
  )

  test('npm pack, which has no script in front, installs as its first step', () =>
    expect(scripts['prepack']).toMatch(/^node scripts\/ensure-deps\.js all && exec env node /))

  // Not of commands, but of how figures were measured.
  const pages = globSync(['*.md', 'docs/**/*.md', 'clients/**/*.md', 'deploy/**/*.md'], { cwd: root }).filter(
    page => page !== 'RELIABILITY.md' && !page.includes('node_modules'),
  )
  test.each(pages)('%s names no other command of a clone', page => {
    const text = readFileSync(join(root, page), 'utf8')
    for (const [, name = ''] of text.matchAll(/\bnpm run (?:--silent )?([a-z:]+)/g)) expect(own).toContain(name)
    const others = Array.from(
      text.matchAll(/(?:^|`|\$ )(?:npx (?!sluice)|node (?:scripts|test|clients|src|admin)\/)[^\n`]*/gm),
      ([all]) => all,
    )
    expect(others).toEqual([])
  })
})
