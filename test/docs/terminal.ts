/** A terminal in a directory of its own, like that of a reader of the page. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findFreePorts } from '../../scripts/free-ports.ts'
import { linkPackages, makePrograms } from './programs.ts'

/** What ended with another code than 0, or printed what the page does not show. */
export class SnippetFailed extends Error {
  override readonly name = 'SnippetFailed'
}

export type Terminal = {
  readonly directory: string
  /** Runs commands, which find the variables and the directory as those before them left them. @returns what they print */
  run(code: string): Promise<string>
  /**
   * Starts what stays, and waits until it is ready.
   * @param port accepts connections when it is ready; without one it is a Sluice, which says so
   */
  serve(code: string, port?: number): Promise<void>
  /** Stops what was started last, first. */
  stopServers(): Promise<void>
  /** Text of the page as this terminal has it: with its ports, and where its cluster is. */
  toHere(text: string): string
  /** Output as the page has it. */
  toPage(text: string): string
  close(): Promise<void>
}

export type TerminalOptions = {
  /** Directories of programs, before those of this machine. */
  readonly path?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Further replacements in the text. */
  readonly replace?: Readonly<Record<string, string>>
}

/** Ports of pages, which are others here: of gateway and collector, of the management, of Scribe, and their neighbours. */
const pagePorts = [...Array.from({ length: 10 }, (_, i) => 8080 + i), 7911, 7912, 7913, 8443, 9443].map(String)
const allPorts = new RegExp(`(?<![\\d.])(?:${pagePorts.join('|')})(?!\\d|\\.\\d)`, 'g')

type Running = { readonly child: ChildProcess; readonly ended: Promise<unknown[]>; readonly text: () => string }

const readyMs = 60_000
const stopMs = 30_000

export const openTerminal = async ({ path = [], env = {}, replace = {} }: TerminalOptions = {}): Promise<Terminal> => {
  const base = await mkdtemp(join(tmpdir(), 'sluice-page-'))
  const [directory, home, bin] = ['work', 'home', 'bin'].map(name => join(base, name)) as [string, string, string]
  for (const one of [directory, home, bin]) mkdirSync(one)
  makePrograms(bin)
  linkHome(home)
  linkPackages(directory)

  const free = await findFreePorts(pagePorts.length)
  const ports = new Map(pagePorts.map((port, i) => [port, String(free[i])]))
  const portOf = (port: string): string => ports.get(port) ?? port
  const toHere = (text: string): string =>
    Object.entries(replace)
      .reduce((rest, [from, to]) => rest.replaceAll(from, to), text)
      .replaceAll(allPorts, portOf)
  const toPage = (text: string): string =>
    [...ports].reduce((rest, [page, here]) => rest.replaceAll(here, page), text).replaceAll(directory, '.')

  // Neither what an npm around this test sets for its children, nor settings of the user who runs it.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^SLUICE_|^FORCE_COLOR$|^VITEST/.test(name))
  const variables = {
    ...Object.fromEntries(inherited),
    HOME: home,
    CURL_HOME: home,
    NO_COLOR: '1',
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
    PYTHONUTF8: '1',
    PATH: [bin, ...path, dirname(process.execPath), process.env['PATH']].join(delimiter),
    SLUICE_SERVER_PORT: portOf('8080'),
    SLUICE_ADMIN_PORT: portOf('8081'),
    SLUICE_COLLECTOR_SCRIBE_PORT: portOf('7911'),
    SLUICE_SERVER_URL: `http://127.0.0.1:${portOf('8080')}`,
    SLUICE_URL: `http://127.0.0.1:${portOf('8081')}`,
    ...env,
  }
  /** The variables and the working directory, from one block to the next. */
  const state = join(base, 'state')
  writeFileSync(state, '')
  const start = (code: string, isKept: boolean): Running => {
    const keep = `set +ex; { export -p; printf "cd '%s'\\n" "$PWD"; } >'${state}'`
    const script = `set -ea; . '${state}'\n${toHere(code)}\n${isKept ? keep : ''}\n`
    const output = join(base, `output-${running.length}`)
    const file = openSync(output, 'w')
    const child = spawn('sh', ['-c', script], {
      cwd: directory,
      env: variables,
      // A file, since what stays in the background would hold a pipe open.
      stdio: ['ignore', file, file],
      // With all that it starts it is one group, which ends together.
      detached: true,
    })
    closeSync(file)
    const one = { child, ended: once(child, 'exit'), text: () => toPage(readFileSync(output, 'utf8')) }
    running.push(one)
    return one
  }
  const running: Running[] = []
  const servers: Running[] = []
  const stopServers = async (): Promise<void> => {
    for (const server of servers.splice(0).reverse()) await endGroup(server)
  }
  const logs = (): string => servers.map(({ text }) => `\nThe server said:\n${text().slice(-2_000)}`).join('')

  return {
    directory,
    toHere,
    toPage,
    run: async code => {
      const { ended, text } = start(code, true)
      const [exit, signal] = await ended
      if (exit !== 0)
        throw new SnippetFailed(`ended with ${String(exit ?? signal)}:\n${code}\nIt printed:\n${text()}${logs()}`)
      return text()
    },
    serve: async (code, port) => {
      const server = start(code, false)
      servers.push(server)
      const isReady = async (): Promise<boolean> =>
        port === undefined ? server.text().includes('sluice is ready') : await answers(Number(portOf(`${port}`)))
      const until = Date.now() + readyMs
      while (!(await isReady())) {
        const { exitCode } = server.child
        // What went into the background has ended well itself.
        if ((exitCode !== null && (exitCode !== 0 || port === undefined)) || Date.now() > until)
          throw new SnippetFailed(`did not get ready:\n${code}\nIt printed:\n${server.text()}`)
        await setTimeout(20)
      }
    },
    stopServers,
    close: async () => {
      await stopServers()
      for (const one of running) signalGroup(one, 'SIGKILL')
      await rm(base, { recursive: true, force: true })
    },
  }
}

/** Whether a port of this machine accepts connections. */
const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const endGroup = async (one: Running): Promise<void> => {
  signalGroup(one, 'SIGTERM')
  const late = new AbortController()
  await Promise.race([isOver(one), setTimeout(stopMs, undefined, late)])
  late.abort()
  signalGroup(one, 'SIGKILL')
}

/** Resolves when nothing of the group is left. */
const isOver = async (one: Running): Promise<void> => {
  await one.ended
  while (signalGroup(one, 0)) await setTimeout(20)
}

/** Whether there is a process to get it. */
const signalGroup = ({ child: { pid } }: Running, signal: NodeJS.Signals | 0): boolean => {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

/** A home of its own, in which package managers still find what this machine told them. */
const linkHome = (home: string): void => {
  for (const name of ['.npmrc', '.m2', '.config', '.cache', '.cargo', 'go']) {
    const real = join(homedir(), name)
    if (existsSync(real)) symlinkSync(real, join(home, name))
  }
  // Its progress meter is not wanted.
  writeFileSync(join(home, '.curlrc'), 'silent\nshow-error\n')
}
