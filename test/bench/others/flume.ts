/** Apache Flume: its HTTP source, a durable file channel, and a sink that drops what it takes. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findFreePorts } from '../../../scripts/free-ports.ts'
import { start } from '../process.ts'
import { createJavaSoftware } from './java-software.ts'
import type { Other } from './other.ts'

/** Some 40 MB. */
const software = createJavaSoftware({ name: 'Flume', version: '1.11.0', artifact: 'flume' })

/** With one core the JVM takes its serial collector by itself. */
const jvm = ['-Xms1g', '-Xmx1g', '-Djava.net.preferIPv4Stack=true']

export const flume: Other = {
  describe: software.describe,
  start: async directory => {
    const java = await software.fetch()
    const [port = 0] = await findFreePorts(1)
    const config = join(directory, 'agent.properties')
    await writeFile(config, toConfig(directory, port))
    const application = ['org.apache.flume.node.Application', '-n', 'agent', '-f', config, '--no-reload-conf']
    const args = [...jvm, '-cp', join(software.library, '*'), ...application]
    const running = await start({ program: java, args, core: 'server', cwd: directory }, isReady)
    return { pid: running.pid, url: `http://127.0.0.1:${port}`, stop: () => running.stop('SIGKILL') }
  },
}

/** What `slf4j-simple` writes of it when it takes connections. */
const isReady = (line: string): boolean => line.includes('type: SOURCE, name: http started')

/** All defaults, except a sink with a larger batch: each batch is a transaction of the channel, with a sync, too. */
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
