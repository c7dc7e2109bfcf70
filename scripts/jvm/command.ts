/** The verbs `start`, `stop` and `status` of a server that lives on in the background. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isRunning, stopByPid } from '../daemon.ts'

/** What was started. */
export type Started = {
  readonly pids: readonly number[]
  /** In the command line of each of its processes, and of no other. */
  readonly marker: string
  /** Where it answers. */
  readonly url: string
  /** How to use it, for people: indented lines. */
  readonly hint: string
}

export type CommandOptions = {
  /** For people: `HDFS`. */
  readonly title: string
  /** Name of its npm script. */
  readonly script: string
  readonly usage: string
  /** Remembers what runs. */
  readonly stateFile: string
  /** Names of options of `start` without a value. @default none */
  readonly flags?: readonly string[]
  /** Starts it, detached, on this port (any free one when undefined), with its files in this directory. */
  readonly start: (options: {
    readonly directory: string
    readonly port?: number
    readonly log: (line: string) => void
    /** Those of the options that were given. */
    readonly flags: ReadonlySet<string>
  }) => Promise<Started>
}

type State = Started & { readonly directory: string; readonly temporary: boolean }

const say = (line: string): void => console.log(line)

/** Does what the arguments say, and ends this process: 0 done, 1 failed or not running, 2 for wrong arguments. */
export const runCommand = async (options: CommandOptions, argv: readonly string[]): Promise<never> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { ...flagsOf(options), port: { type: 'string' }, dir: { type: 'string' }, help: { type: 'boolean' } },
    })
    const [verb] = positionals
    const given = new Set((options.flags ?? []).filter(name => name in values))
    if (values.help) say(options.usage)
    else if (verb === 'start') await start(options, given, parsePort(values.port), values.dir)
    else if (verb === 'stop') await stop(options)
    else if (verb === 'status') await status(options)
    else {
      console.error(options.usage)
      process.exitCode = 2
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
  // What was started stays; nothing may keep this process waiting for it.
  process.exit()
}

const flagsOf = ({ flags = [] }: CommandOptions): Readonly<Record<string, { readonly type: 'boolean' }>> =>
  Object.fromEntries(flags.map(name => [name, { type: 'boolean' }]))

const start = async (
  options: CommandOptions,
  flags: ReadonlySet<string>,
  port: number | undefined,
  dir: string | undefined,
): Promise<void> => {
  const { title, script, stateFile } = options
  const old = await readState(stateFile)
  if (old && (await survivors(old)).length > 0) throw new Error(`${title} is running already\n${old.hint}`)
  await mkdir(dirname(stateFile), { recursive: true })
  const directory = dir === undefined ? await mkdtemp(join(tmpdir(), `sluice-${script}-`)) : resolve(dir)
  const started = await options.start({ directory, flags, log: say, ...(port === undefined ? {} : { port }) })
  const state: State = { ...started, directory, temporary: dir === undefined }
  await writeFile(stateFile, JSON.stringify(state))
  say(
    `${title} is running at ${started.url}. Use it with\n${started.hint}\nand end it with\n  npm run ${script} -- stop`,
  )
}

const stop = async ({ title, stateFile }: CommandOptions): Promise<void> => {
  const state = await readState(stateFile)
  if (!state) return say(`${title} is not running`)
  await Promise.all(state.pids.map(pid => stopByPid(pid, state.marker)))
  if (state.temporary) await rm(state.directory, { recursive: true, force: true })
  await rm(stateFile, { force: true })
  say(`${title} is stopped`)
}

const status = async ({ title, stateFile }: CommandOptions): Promise<void> => {
  const state = await readState(stateFile)
  const alive = state ? await survivors(state) : []
  if (state && alive.length === state.pids.length)
    return say(`${title} is running (processes ${alive.join(', ')})\n${state.hint}`)
  say(alive.length > 0 ? `Only process ${alive.join(', ')} of ${title} is running` : `${title} is not running`)
  process.exitCode = 1
}

const survivors = async ({ pids, marker }: State): Promise<readonly number[]> => {
  const alive = await Promise.all(pids.map(pid => isRunning(pid, marker)))
  return pids.filter((_, index) => alive[index])
}

const readState = async (stateFile: string): Promise<State | undefined> => {
  const text = await readFile(stateFile, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as State)
}

const parsePort = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${text} is not a port (0 to 65535)`)
  return port
}
