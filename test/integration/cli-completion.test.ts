/**
 * The completion of the command line in the shells themselves: what is typed goes to a terminal with a real bash, zsh or
 * fish, and the words that its `sluice` is then called with are looked at. Shells that are not installed are named.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describePart } from '../suites/describe-part.ts'
import { cleanUp, createDirectory, start } from './process/child.ts'

const bin = resolve('bin/sluice.js')
let home = ''
let env: Record<string, string> = {}

beforeAll(async () => {
  home = createDirectory()
  const settings = ['data.dir=data']
  const server = start(process.execPath, [bin, 'serve', ...settings.flatMap(one => ['--set', one])], { cwd: home })
  const ready = await server.logged('sluice is ready')
  const root = join(home, 'data/fs')
  for (const path of [
    ...Object.keys(names).map(name => `odd/${name}`),
    'events/PageView/1',
    'events/Order/1',
    'few.txt',
  ]) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), '')
  }
  mkdirSync(join(home, 'bin'))
  mkdirSync(join(home, 'HDFSWriter'))
  writeFileSync(join(home, 'local file'), '')
  // Completion as it is, but with more time on a busy machine; of all else the words are kept.
  const wrapper = `#!/bin/sh
if [ "$1 $2" = 'completion names' ]; then shift 2; exec '${process.execPath}' '${bin}' completion names --timeout 30 "$@"; fi
{ printf '%s\\0' "$@"; printf '\\n'; } >> '${join(home, 'called')}'
`
  writeFileSync(join(home, 'bin/sluice'), wrapper, { mode: 0o755 })
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(home, `completion.${shell}`), execFileSync(process.execPath, [bin, 'completion', shell]))
  env = {
    PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    SLUICE_SERVER_URL: String(ready['server']),
    SLUICE_URL: String(ready['admin']),
  }
  for (const type of ['PageView', 'Odd type', 'Odd:colon'])
    execFileSync(process.execPath, [bin, 'send', type, 'a=1'], { env })
})
afterAll(cleanUp)

/** Names, each with a beginning that no other has. */
const names: Readonly<Record<string, string>> = {
  'two words': 'tw',
  'a:b:c': 'a',
  "it's": 'i',
  'quo"te': 'q',
  $HOME: '\\$',
  'back\\slash': 'b',
  '(paren)&;|': '\\(',
  'ünïcode 日本': 'ü',
  'st*r?[x]': 's',
  '#hash': '\\#h',
  '=eq=': '=',
  '~tilde': '~',
  '{brace},': '\\{',
  '`id`': '\\`',
  '!bang!': '\\!',
}

const shells: Readonly<Record<string, { readonly words: readonly string[]; readonly setup: string }>> = {
  bash: { words: ['bash', '--norc', '--noprofile', '-i'], setup: '. ~/completion.bash' },
  zsh: {
    words: ['zsh', '-f', '-i'],
    setup: 'autoload -Uz compinit; compinit -u; . ~/completion.zsh',
  },
  fish: { words: ['fish', '--no-config', '-i'], setup: 'source ~/completion.fish' },
}

const isMissing = (program: string): boolean => spawnSync(program, ['--version']).status !== 0

/** Types lines into a shell; the words of the calls that come of them. */
const type = async (shell: string, lines: readonly string[], variables = env): Promise<string[][]> => {
  const { words = [], setup = '' } = shells[shell] ?? {}
  writeFileSync(join(home, 'called'), '')
  const child = spawn('script', ['-qec', words.join(' '), '/dev/null'], { cwd: home, env: variables, stdio: 'pipe' })
  let screen = ''
  child.stdout.on('data', chunk => {
    screen += String(chunk)
  })
  child.stdin.write(`${setup}\n`)
  for (const line of lines) child.stdin.write(`${line}\n`)
  child.stdin.write('exit\n')
  await once(child, 'close')
  const called = readFileSync(join(home, 'called'), 'utf8').split('\n').slice(0, -1)
  if (called.length !== lines.length) throw new Error(`${called.length} of ${lines.length} lines ran:\n${screen}`)
  return called.map(line => line.split('\0').slice(0, -1))
}

for (const shell of Object.keys(shells)) {
  const missing = ['script', shell].filter(isMissing).join(' and ')
  describePart('shells', missing === '' ? undefined : `there is no ${missing}`, `completion in ${shell}`, () => {
    test('remote paths with any characters', async () => {
      const called = await type(
        shell,
        Object.values(names).map(beginning => `sluice fs rm /odd/${beginning}\t`),
      )
      expect(called).toEqual(Object.keys(names).map(name => ['fs', 'rm', `/odd/${name}`]))
    })

    test('paths in open quotes, and directories that continue', async () => {
      const odd = [
        `"/odd/two\t`,
        `'/odd/two\t`,
        `"/odd/quo\t`,
        `'/odd/back\t`,
        `/ev\tPa\t1`,
        `"/ev\tPa\t1"`,
        `/od\ttw\t`,
      ]
      expect(
        await type(
          shell,
          odd.map(typed => `sluice fs rm ${typed}`),
        ),
      ).toEqual(
        [
          '/odd/two words',
          '/odd/two words',
          '/odd/quo"te',
          '/odd/back\\slash',
          '/events/PageView/1',
          '/events/PageView/1',
          '/odd/two words',
        ].map(path => ['fs', 'rm', path]),
      )
    })

    test('commands, flags and their values, beans, types, and files here', async () => {
      const table: readonly (readonly [typed: string, ...words: string[]])[] = [
        ['fl\t', 'flush'],
        ['flush no\t', 'flush', 'now'],
        ['spool quarantine rel\t', 'spool', 'quarantine', 'release'],
        ['fs ls --rec\t/', 'fs', 'ls', '--recursive', '/'],
        ['fs ls -o nd\t/ev\t', 'fs', 'ls', '-o', 'ndjson', '/events/'],
        ['beans get HDFSW\tHDFSW\t', 'beans', 'get', 'HDFSWriter', 'HDFSW'],
        ['beans search HDFSW\t', 'beans', 'search', 'HDFSW'],
        ['tail PageV\tOdd\\ \tOdd:\t', 'tail', 'PageView', 'Odd type', 'Odd:colon'],
        ['send PageV\ta=1', 'send', 'PageView', 'a=1'],
        ['fs put loc\t/ev\t', 'fs', 'put', 'local file', '/events/'],
        ['fs get -o json /few\tloc\t', 'fs', 'get', '-o', 'json', '/few.txt', 'local file'],
        ['fs mkdir /few\t /ev\t', 'fs', 'mkdir', '/few', '/events/'],
        ['config --config loc\t', 'config', '--config', 'local file'],
        ['completion z\t', 'completion', 'zsh'],
        ['open /few\t', 'open', '/few.txt'],
      ]
      expect(
        await type(
          shell,
          table.map(([typed]) => `sluice ${typed}`),
        ),
      ).toEqual(table.map(([, ...words]) => words))
    })

    test('the server that the line names; silence where none answers', async () => {
      const nowhere = 'http://127.0.0.1:1'
      const [good, words] = [env['SLUICE_SERVER_URL'] ?? '', ['fs', 'rm', '--server-url']]
      const line = (url: string): string => `sluice fs rm --server-url ${url} /few\t`
      const wrong = { ...env, SLUICE_SERVER_URL: nowhere }
      expect(await type(shell, [line(good), line(good).replace('l http', 'l=http'), line(nowhere)], wrong)).toEqual([
        [...words, good, '/few.txt'],
        ['fs', 'rm', `--server-url=${good}`, '/few.txt'],
        [...words, nowhere, '/few'],
      ])
    })
  })
}
