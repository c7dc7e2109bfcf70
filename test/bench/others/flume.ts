/** Apache Flume: its HTTP source, a durable file channel, and a sink that drops what it takes. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findFreePorts } from '../../../scripts/free-ports.ts'
import { fetchJars, findJava, missingForJars } from '../../../scripts/jvm/maven.ts'
import { start } from '../process.ts'
import { Skipped } from '../trial.ts'
import type { Other } from './other.ts'

const version = '1.11.0'
const title = `Flume ${version}`

/** Fetched by Maven once; some 40 MB. */
const library = resolve(import.meta.dirname, `../../../.bench/flume-${version}`)

/** With one core the JVM takes its serial collector by itself. */
const jvm = ['-Xms1g', '-Xmx1g', '-Djava.net.preferIPv4Stack=true']

export const flume: Other = {
  describe: async () => {
    const { stderr } = await promisify(execFile)(await fetchFlume(), ['-version'])
    return `${title} on Java ${/version "([^"]+)"/.exec(stderr)?.[1] ?? 'of an unknown version'}`
  },
  start: async directory => {
    const java = await fetchFlume()
    const [port = 0] = await findFreePorts(1)
    const config = join(directory, 'agent.properties')
    await writeFile(config, toConfig(directory, port))
    const application = ['org.apache.flume.node.Application', '-n', 'agent', '-f', config, '--no-reload-conf']
    const args = [...jvm, '-cp', join(library, '*'), ...application]
    const running = await start({ program: java, args, core: 'server', cwd: directory }, isReady)
    return { pid: running.pid, url: `http://127.0.0.1:${port}`, stop: () => running.stop('SIGKILL') }
  },
}

/** Path of `java`, when the jars are there. @throws Skipped when they are not, and cannot be had */
const fetchFlume = async (): Promise<string> => {
  const missing = await missingForJars(library)
  const java = await findJava()
  if (missing !== undefined || java === undefined) throw new Skipped(`no Flume, ${missing ?? 'no JDK'}`)
  const jars = {
    title,
    library,
    pom: join(import.meta.dirname, 'flume.pom.xml'),
    properties: [`flume.version=${version}`],
  }
  try {
    await fetchJars({ ...jars, log: line => void process.stderr.write(`${line}\n`) })
  } catch (cause) {
    const [line = ''] = String(cause instanceof Error ? cause.message : cause).split('\n')
    throw Object.assign(new Skipped(`no Flume: ${line}`), { cause })
  }
  return java
}

/** What `slf4j-simple` writes of it when it takes connections. */
const isReady = (line: string): boolean => line.includes('type: SOURCE, name: http started')

/** All defaults, but for a sink that takes more at once: what it takes is a transaction of the channel, with a sync, too. */
const toConfig = (directory: string, port: number): string =>
  Object.entries({
    sources: 'http',
    channels: 'file',
    sinks: 'none',
    'sources.http.type': 'http',
    'sources.http.bind': '127.0.0.1',
    'sources.http.port': port,
    'sources.http.channels': 'file',
    'channels.file.type': 'file',
    'channels.file.checkpointDir': join(directory, 'checkpoint'),
    'channels.file.dataDirs': join(directory, 'data'),
    'sinks.none.type': 'null',
    'sinks.none.batchSize': 1_000,
    'sinks.none.channel': 'file',
  })
    .map(([key, value]) => `agent.${key} = ${value}\n`)
    .join('')
