/** How long it takes from a request to the first row of its answer, for whole files, local ones and those of HDFS. */
import { once } from 'node:events'
import { createReadStream, mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { missingForHdfs } from '../../../scripts/hdfs/artifacts.ts'
import { startCluster } from '../../../scripts/hdfs/cluster.ts'
import { hadoopOf } from '../../../src/filesystem/facets.ts'
import { createWebHdfsFileSystem } from '../../../src/filesystem/webhdfs.ts'
import { createLine, writeSequenceFile, writeText } from '../files.ts'
import { hdfsSettings } from '../hdfs.ts'
import type { MeasureOptions } from '../measure.ts'
import { median } from '../median.ts'
import { startBareGateway, startSluice } from '../servers.ts'
import { toUrl } from '../transfer-run.ts'
import { Skipped } from '../trial.ts'
import type { MeasureSizes, SizeRow } from './size.ts'
import { toMs } from './size.ts'

const fileBytes = 100e6
const warmUpRequests = 10
const requests = 30
/** The row is there when this is: a value of the first line. */
const firstValue = createLine(0).split('\t')[0] ?? ''

/** Files of the embedded file system, beside the bare gateway making rows of the same text. */
export const measureLocalFirstRow: MeasureSizes = async options => {
  const data = await mkdtemp(join(options.directory, 'row-'))
  const files = makeFiles(join(data, 'fs'))
  const bare = await startBareGateway(options)
  try {
    const beside = toTimes(await time(toUrl(bare.url, '/rows', { path: files.text })))
    return await measureRows(options, data, [], '/', 'local', { text: beside, sequence: '–' })
  } finally {
    await bare.stop()
    await rm(data, { recursive: true, force: true })
  }
}

/** The same files in a real HDFS, beside its own WebHDFS sending their first bytes. */
export const measureHdfsFirstRow: MeasureSizes = async options => {
  const missing = await missingForHdfs()
  if (missing !== undefined) throw new Skipped(`no HDFS, ${missing}`)
  const data = await mkdtemp(join(options.directory, 'row-'))
  const files = makeFiles(join(data, 'files'))
  const cluster = await startCluster({ maxHeapMb: 512 })
  try {
    const { webhdfsUrl, user } = cluster
    const hdfs = createWebHdfsFileSystem({ urls: [webhdfsUrl], user })
    await hadoopOf(hdfs).create('/bench/text', createReadStream(files.text))
    await hadoopOf(hdfs).create('/bench/sequence', createReadStream(files.sequence))
    await hdfs.close()
    const open = toUrl(webhdfsUrl, '/webhdfs/v1/bench/text', { op: 'OPEN', 'user.name': user })
    const beside = `${toTimes(await timeFetch(open))} (WebHDFS)`
    const settings = hdfsSettings(cluster)
    return await measureRows(options, data, settings, '/bench/', 'HDFS', { text: beside, sequence: '–' })
  } finally {
    await cluster.stop()
    await rm(data, { recursive: true, force: true })
  }
}

const measureRows = async (
  options: MeasureOptions,
  data: string,
  settings: readonly string[],
  directory: string,
  where: string,
  beside: { readonly text: string; readonly sequence: string },
): Promise<readonly SizeRow[]> => {
  const server = await startSluice(options, data, ['services=gateway', ...settings])
  try {
    const row = async (kind: 'text' | 'sequence'): Promise<SizeRow> => ({
      what: `first row of 100 MB ${kind} file, ${where}, p50/max`,
      value: toTimes(await time(toUrl(server.url, '/rest/1.0/json', { path: `${directory}${kind}` }))),
      beside: beside[kind],
    })
    return [await row('text'), await row('sequence')]
  } finally {
    await server.stop()
  }
}

const makeFiles = (directory: string): { readonly text: string; readonly sequence: string } => {
  mkdirSync(directory, { recursive: true })
  const files = { text: join(directory, 'text'), sequence: join(directory, 'sequence') }
  writeText(files.text, fileBytes)
  writeSequenceFile(files.sequence, fileBytes)
  return files
}

const time = (url: string): Promise<readonly number[]> =>
  repeat(async () => {
    // A connection each: the rest of the answer is not waited for.
    const agent = new Agent()
    const outgoing = get(url, { agent })
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    if (answer.statusCode !== 200) throw new Error(`The gateway answered ${answer.statusCode}`)
    let head = ''
    for await (const chunk of answer) {
      head += String(chunk)
      if (head.includes(firstValue)) break
    }
    agent.destroy()
    if (!head.includes(firstValue)) throw new Error(`There is no row in ${head.slice(0, 200)}`)
  })

/** Follows the redirect to the DataNode. */
const timeFetch = (url: string): Promise<readonly number[]> =>
  repeat(async () => {
    const stop = new AbortController()
    const { body } = await fetch(url, { signal: stop.signal })
    const { value } = (await body?.getReader().read()) ?? {}
    if (!Buffer.from(value ?? []).includes(firstValue)) throw new Error('WebHDFS sent another file')
    stop.abort()
  })

const repeat = async (once: () => Promise<void>): Promise<readonly number[]> => {
  const times: number[] = []
  for (let i = 0; i < warmUpRequests + requests; i++) {
    const startedAt = performance.now()
    await once()
    if (i >= warmUpRequests) times.push(performance.now() - startedAt)
  }
  return times
}

const toTimes = (times: readonly number[]): string => `${toMs(median(times))} / ${toMs(Math.max(...times))}`
