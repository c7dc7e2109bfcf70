/** Apache's REST catalog on this machine, which can be killed and started again: its tables are in a file of SQLite. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accepts } from '../accepts.ts'
import { type Daemon, startDaemon } from '../daemon.ts'
import { findFreePorts } from '../free-ports.ts'
import { hdfsHome } from '../hdfs/artifacts.ts'
import { fetchJars, findJava, missingForJars } from '../jvm/maven.ts'
import { tail } from '../tail.ts'

const version = '1.10.1'

const libraryPath = (): string => join(hdfsHome(), `iceberg-rest-catalog-${version}`)

/** What is missing on this machine to run it, as a sentence for people; undefined when all is there. */
export const missingForRestCatalog = (): Promise<string | undefined> => missingForJars(libraryPath())

export type RestCatalogServerOptions = {
  /** Where its tables are that are made without a place of their own; a URI. */
  readonly warehouse: string
  /** Variables of its process; `CATALOG_…` are properties of the catalog. @default none */
  readonly env?: Readonly<Record<string, string>>
  /** Progress for people. @default silent */
  readonly log?: (line: string) => void
}

export type RestCatalogServer = {
  /** For `collector.output.catalog`. */
  readonly url: string
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>
  /** Starts it again, on the same port and tables. */
  start(): Promise<void>
  /** Ends it, and removes its tables. */
  stop(): Promise<void>
}

const startTimeoutMs = 60_000

/**
 * Starts it and resolves when it takes connections.
 * @throws Error when Java or Maven is missing, or it does not start; the message ends with its last log lines
 */
export const startRestCatalog = async (options: RestCatalogServerOptions): Promise<RestCatalogServer> => {
  const { warehouse, env = {}, log = () => {} } = options
  const java = await findJava()
  if (!java) throw new Error('Cannot start a REST catalog: "java" is neither in JAVA_HOME nor on the PATH')
  const library = libraryPath()
  const pom = join(import.meta.dirname, 'rest-catalog.pom.xml')
  const properties = [`iceberg.version=${version}`]
  await fetchJars({ title: `Iceberg's REST catalog ${version}`, library, pom, properties, log })
  const directory = await mkdtemp(join(tmpdir(), 'sluice-rest-catalog-'))
  await mkdir(join(directory, 'tmp'))
  const [port = 0] = await findFreePorts(1)
  const logFile = join(directory, 'catalog.log')
  const jvm = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Djava.io.tmpdir=${join(directory, 'tmp')}`]
  const args = [...jvm, '-cp', join(library, '*'), 'org.apache.iceberg.rest.RESTCatalogServer']
  const variables = {
    CATALOG_REST_PORT: String(port),
    CATALOG_WAREHOUSE: warehouse,
    CATALOG_URI: `jdbc:sqlite:${join(directory, 'tables.db')}`,
    // Files are made as the user that the cluster of the tests knows.
    HADOOP_USER_NAME: process.env['HADOOP_USER_NAME'] ?? 'root',
    ...env,
  }
  let daemon: Daemon | undefined

  const start = async (): Promise<void> => {
    if (daemon) return
    daemon = await startDaemon({ command: java, args, env: variables, logFile, detached: false })
    const deadline = Date.now() + startTimeoutMs
    while (!(await accepts(port))) {
      const reason = daemon.ended() ?? (Date.now() > deadline ? 'it did not answer in time' : undefined)
      if (reason) throw new Error(`The REST catalog did not start: ${reason}\n${await tail(logFile)}`)
      await sleep(50)
    }
  }
  const kill = async (): Promise<void> => {
    await daemon?.kill()
    daemon = undefined
  }
  const stop = async (): Promise<void> => {
    await kill()
    await rm(directory, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `http://127.0.0.1:${port}`, kill, start, stop }
}
