/** `npm run activemq -- start|stop|status`, and the same for `kafka`: a real broker, to try Sluice with. */
import { join } from 'node:path'
import { runCommand } from '../jvm/command.ts'
import { brokersHome } from './artifacts.ts'
import { startBroker } from './broker.ts'
import { activemq, kafka } from './kinds.ts'

const [name, ...argv] = process.argv.slice(2)
const kind = [activemq, kafka].find(one => one.name === name)
if (!kind) {
  console.error(`There is no broker "${name ?? ''}"; expected activemq or kafka`)
  process.exit(2)
}

const usage = `Usage: npm run ${kind.name} -- start [--port N] [--dir DIR] | stop | status
  start   starts ${kind.name} ${kind.version} in the background and prints how to use it
  stop    stops it; without --dir its files go, too
  status  says whether it runs (exit code 0) or not (1)
  --port  port of clients; any free one when left out
  --dir   where it keeps its files; a temporary directory when left out
Needs a JDK (17 or later) and, the first time, Maven. SLUICE_BROKERS_HOME moves the cache of jars (.brokers/ in the project).`

await runCommand(
  {
    title: kind.name,
    script: kind.name,
    usage,
    stateFile: join(brokersHome(), `${kind.name}-running.json`),
    start: async options => {
      const { url, marker, pid } = await startBroker(kind, { ...options, detached: true })
      const hint = [
        `  SLUICE_REALTIME_BROKER=${url} SLUICE_REALTIME_EVENTS=Hello npm start`,
        `Files and log are in ${options.directory}.`,
      ].join('\n')
      return { pids: [pid() ?? -1], marker, url, hint }
    },
  },
  argv,
)
