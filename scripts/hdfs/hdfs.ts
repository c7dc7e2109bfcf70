/** `npm run hdfs -- start|stop|status`: a real HDFS on this machine, to try Sluice with. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { hadoopVersion, hdfsHome } from './artifacts.ts'
import { startCluster } from './cluster.ts'
import { isRunning, stopByPid } from './daemon.ts'

const usage = `Usage: npm run hdfs -- start [--port N] [--dir DIR] | stop | status
  start   starts a NameNode and a DataNode in the background and prints how to use them
  stop    stops them; without --dir their files go, too
  status  says whether they run (exit code 0) or not (1)
  --port  HTTP (WebHDFS) port of the NameNode; any free one when left out
  --dir   where HDFS keeps its files; a temporary directory when left out
Needs a JDK (8, 11 or 17) and, the first time, Maven. SLUICE_HDFS_HOME moves the cache of jars (.hdfs/ in the project),
SLUICE_HDFS_VERSION selects a version of Hadoop (${hadoopVersion()}).`

/** What `stop` and `status` need to know of a running cluster. */
type State = {
  readonly pids: readonly number[]
  readonly marker: string
  readonly directory: string
  readonly temporary: boolean
  readonly hint: string
}

const stateFile = join(hdfsHome(), 'running.json')
const say = (line: string): void => console.log(line)

const start = async (port: number | undefined, dir: string | undefined): Promise<void> => {
  const old = await readState()
  if (old && (await survivors(old)).length > 0) throw new Error(`HDFS is running already\n${old.hint}`)
  await mkdir(hdfsHome(), { recursive: true })
  const directory = dir === undefined ? await mkdtemp(join(tmpdir(), 'sluice-hdfs-')) : resolve(dir)
  const cluster = await startCluster({ directory, detached: true, log: say, ...(port === undefined ? {} : { port }) })
  const { namenodeUrl, webhdfsUrl, marker } = cluster
  const hint = [
    `  SLUICE_NAMENODE_URL=${namenodeUrl} SLUICE_NAMENODE_WEBHDFS_URL=${webhdfsUrl} npm start`,
    `Files are in ${directory}; the daemons' logs in ${join(directory, 'log')}.`,
  ].join('\n')
  const state: State = { pids: cluster.pids(), marker, directory, temporary: dir === undefined, hint }
  await writeFile(stateFile, JSON.stringify(state))
  say(`HDFS is running at ${namenodeUrl}. Use it with\n${hint}\nand end it with\n  npm run hdfs -- stop`)
}

const stop = async (): Promise<void> => {
  const state = await readState()
  if (!state) return say('HDFS is not running')
  await Promise.all(state.pids.map(pid => stopByPid(pid, state.marker)))
  if (state.temporary) await rm(state.directory, { recursive: true, force: true })
  await rm(stateFile, { force: true })
  say('HDFS is stopped')
}

const status = async (): Promise<void> => {
  const state = await readState()
  const alive = state ? await survivors(state) : []
  if (state && alive.length === state.pids.length)
    return say(`HDFS is running (processes ${alive.join(', ')})\n${state.hint}`)
  say(state && alive.length > 0 ? `Only process ${alive.join(', ')} of HDFS is running` : 'HDFS is not running')
  process.exitCode = 1
}

const survivors = async ({ pids, marker }: State): Promise<readonly number[]> => {
  const alive = await Promise.all(pids.map(pid => isRunning(pid, marker)))
  return pids.filter((_, index) => alive[index])
}

const readState = async (): Promise<State | undefined> => {
  const text = await readFile(stateFile, 'utf8').catch(() => undefined)
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
  const [verb] = positionals
  if (values.help) say(usage)
  else if (verb === 'start') await start(parsePort(values.port), values.dir)
  else if (verb === 'stop') await stop()
  else if (verb === 'status') await status()
  else {
    console.error(usage)
    process.exitCode = 2
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
// The daemons stay; nothing may keep this process waiting for them.
process.exit()
