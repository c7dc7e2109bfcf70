/**
 * A process that starts the server, lets it take an event, closes it, and says what still holds the process then. Run as
 * `node close-child.ts <data.dir>`.
 */
import { createApp } from '../../src/app/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { silentLogger } from '../../src/log/log.ts'

/** What the child says. */
export type Held = {
  readonly status: number
  readonly before: number
  readonly during: number
  readonly after: number
}

/** Timers and listeners; standard output and what `fetch` keeps are not the server's. */
const held = (): number =>
  process.getActiveResourcesInfo().filter(name => name === 'Timeout' || name === 'TCPServerWrap').length

const set = ['server.port=0', 'admin.port=0', 'collector.scribe.port=0', `data.dir=${process.argv[2]}`]
const { settings } = loadConfig({
  argv: set.flatMap(one => ['--set', one]),
  env: {},
  cwd: '/nowhere',
  readFile: () => {
    throw Object.assign(new Error('no file'), { code: 'ENOENT' })
  },
})
const before = held()
const app = await createApp({ settings, logger: silentLogger })
const [listener] = await app.start()
const { status } = await fetch(`${listener?.url}/1?v=A,s1`, { headers: { connection: 'close' } })
const during = held()
await app.close()
console.log(JSON.stringify({ status, before, during, after: held() } satisfies Held))
process.exit(0)
