/** `npm run activemq -- start|stop|status`, and the same for `kafka`: a real broker, to try Sluice with. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { isRunning, stopByPid } from '../hdfs/daemon.ts'
import { brokersHome } from './artifacts.ts'
import { startBroker } from './broker.ts'
import { activemq, type BrokerKind, kafka } from './kinds.ts'

const usageOf = ({
  name,
  version,
}: BrokerKind): string => `Usage: npm run ${name} -- start [--port N] [--dir DIR] | stop | status
  start   starts ${name} ${version} in the background and prints how to use it
  stop    stops it; without --dir its files go, too
  status  says whether it runs (exit code 0) or not (1)
  --port  port of clients; any free one when left out
  --dir   where it keeps its files; a temporary directory when left out
Needs a JDK (17 or later) and, the first time, Maven. SLUICE_BROKERS_HOME moves the cache of jars (.brokers/ in the project).`

/** What `stop` and `status` need to know of a running broker. */
type State = {
  readonly pid: number
  readonly marker: string
  readonly directory: string
  readonly temporary: boolean
  readonly hint: string
}

const say = (line: string): void => console.log(line)
const stateFileOf = ({ name }: BrokerKind): string => join(brokersHome(), `${name}-running.json`)

const start = async (kind: BrokerKind, port: number | undefined, dir: string | undefined): Promise<void> => {
  const old = await readState(kind)
  if (old && (await isRunning(old.pid, old.marker))) throw new Error(`${kind.name} is running already\n${old.hint}`)
  await mkdir(brokersHome(), { recursive: true })
  const directory = dir === undefined ? await mkdtemp(join(tmpdir(), `sluice-${kind.name}-`)) : resolve(dir)
  const broker = await startBroker(kind, {
    directory,
    detached: true,
    log: say,
    ...(port === undefined ? {} : { port }),
  })
  const hint = [
    `  SLUICE_REALTIME_BROKER=${broker.url} SLUICE_REALTIME_EVENTS=Hello npm start`,
    `Files and log are in ${directory}.`,
  ].join('\n')
  const state: State = { pid: broker.pid() ?? -1, marker: broker.marker, directory, temporary: dir === undefined, hint }
  await writeFile(stateFileOf(kind), JSON.stringify(state))
  say(`${kind.name} is running at ${broker.url}. Use it with\n${hint}\nand end it with\n  npm run ${kind.name} -- stop`)
}

const stop = async (kind: BrokerKind): Promise<void> => {
  const state = await readState(kind)
  if (!state) return say(`${kind.name} is not running`)
  await stopByPid(state.pid, state.marker)
  if (state.temporary) await rm(state.directory, { recursive: true, force: true })
  await rm(stateFileOf(kind), { force: true })
  say(`${kind.name} is stopped`)
}

const status = async (kind: BrokerKind): Promise<void> => {
  const state = await readState(kind)
  if (state && (await isRunning(state.pid, state.marker)))
    return say(`${kind.name} is running (process ${state.pid})\n${state.hint}`)
  say(`${kind.name} is not running`)
  process.exitCode = 1
}

const readState = async (kind: BrokerKind): Promise<State | undefined> => {
  const text = await readFile(stateFileOf(kind), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as State)
}

const parsePort = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port ${text} is not a port (0 to 65535)`)
  return port
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string' }, dir: { type: 'string' }, help: { type: 'boolean' } },
  })
  const [name, verb] = positionals
  const kind = [activemq, kafka].find(one => one.name === name)
  if (!kind) throw new Error(`There is no broker "${name ?? ''}"; expected activemq or kafka`)
  if (values.help) say(usageOf(kind))
  else if (verb === 'start') await start(kind, parsePort(values.port), values.dir)
  else if (verb === 'stop') await stop(kind)
  else if (verb === 'status') await status(kind)
  else {
    console.error(usageOf(kind))
    process.exitCode = 2
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
// The broker stays; nothing may keep this process waiting for it.
process.exit()
