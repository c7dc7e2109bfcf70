/** The commands that README, docs and CONTRIBUTING name, in a fresh clone, on a user's Node. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cleanUp, createDirectory } from '../integration/process/child.ts'
import { someOf } from '../suites/stride.ts'
import { cloneHere, install, env as ownEnv } from './make.ts'

afterAll(cleanUp)

type Result = { readonly code: number; readonly output: string }

/** Each with what it prints where it starts; most need not do their work for that. */
const commands: readonly (readonly [command: string, prints: RegExp])[] = [
  ['npm run demo -- --help', /--url/],
  ['npm run example -- --version', /^v2[24]\./m],
  ['npm run hdfs -- status', /run/],
  ['npm run activemq -- status', /run/],
  ['npm run kafka -- status', /run/],
  ['npm pack --dry-run', /sluice-[\d.]+\.tgz/],
  ['npm run build', /build\.ts/],
  ['npm run artefacts -- --help', /Makes the packages/],
  ['npm run stage', /One directory is expected/],
  ['npm run release -- --help', /Usage/],
  ['npm run vitest -- --version', /vitest\/\d/],
  ['npm run nightly -- --list', /kills/],
  ['npm run fuzz -- --help', /--target/],
  ['npm run oracle -- --help', /--seeds/],
  ['npm run overload -- --help', /overload/],
  ['npm run soak -- --help', /--minutes/],
  ['npm run bench -- --help', /--rounds/],
  ['npm run clients -- --help', /Usage/],
  ['npm run tidy', /exceptions\.txt is as short as it can be/],
]
/** Looks for a program at the end of its work, which no test waits for: the rest of it is as with the others. */
const untried = [
  'test',
  'unit',
  'interop',
  'docs',
  'packaging',
  'check',
  'check:code',
  'ok',
  'format',
  'coverage',
  'fixture',
  'generate',
  'start',
]

test('all commands are tried', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: object }
  const own = Object.keys(scripts).filter(name => !name.startsWith('pre') && name !== 'postpack')
  const tried = commands.flatMap(([command]) => /^npm run (\S+)/.exec(command)?.[1] ?? [])
  expect([...tried, ...untried].sort()).toEqual(own.sort())
})

describe.skipIf(process.platform !== 'linux').each(someOf(['18', '20'], 2))('on Node %s', version => {
  const [clone, tools] = [createDirectory(), createDirectory()]
  let env: NodeJS.ProcessEnv = {}
  const run = (command: string): Promise<Result> =>
    new Promise(done => {
      const [program = '', ...args] = command.split(' ')
      execFile(program, args, { cwd: clone, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      )
    })

  beforeAll(async () => {
    mkdirSync(tools, { recursive: true })
    await install(tools, [`node-linux-${process.arch}@${version}`, 'npm@10'])
    const path = [join(tools, `node_modules/node-linux-${process.arch}/bin`), join(tools, 'node_modules/.bin')]
    env = {
      ...ownEnv,
      PATH: [...path, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
      SLUICE_LOG_FORMAT: 'json',
    }
    await cloneHere(clone, { isBare: true })
    expect((await run('node --version')).output).toMatch(new RegExp(`^v${version}\\.`))
  })

  test('npx sluice is the first command, and warns of nothing', async () => {
    const { code, output } = await run('npx sluice --version')
    expect(code, output).toBe(0)
    expect(output).toMatch(/^sluice\/\d/m)
    expect(output).not.toMatch(/EBADENGINE|npm warn/i)
  })

  test('npm start installs what the server runs on, and starts it', async () => {
    const ports = { SLUICE_SERVER_PORT: '0', SLUICE_ADMIN_PORT: '0', SLUICE_COLLECTOR_SCRIBE_PORT: '0' }
    const server = spawn('npm', ['start'], { cwd: clone, env: { ...env, ...ports }, stdio: ['ignore', 'pipe', 'pipe'] })
    const lines: string[] = []
    for (const stream of [server.stdout, server.stderr]) {
      for await (const line of createInterface(stream)) {
        lines.push(line)
        if (line.includes('sluice is ready')) break
      }
      if (lines.some(line => line.includes('sluice is ready'))) break
    }
    const { pid } = JSON.parse(lines.at(-1) ?? '') as { readonly pid: number }
    process.kill(pid, 'SIGTERM')
    expect(existsSync(join(clone, 'node_modules/hono'))).toBe(true)
    expect(existsSync(join(clone, 'node_modules/rolldown'))).toBe(false)
  })

  test.each(commands)('%s', async (command, prints) => {
    const { output } = await run(command)
    expect(output).not.toMatch(/Cannot find (?:package|module)|Unknown file extension|ERR_|SyntaxError|not found/)
    expect(output).toMatch(prints)
  })
})
