/** G9 to G11 and O3: many small files and their names, through Sluice and by another way. */
import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  askWebHdfs,
  type Lists,
  type MakesRows,
  type Reads,
  type StartFor,
  startBareFiles,
  startGateway,
  startHttpFsFor,
  startWebHdfsApi,
} from '../file-servers.ts'
import { createLine } from '../files.ts'
import { toWarmUpMs } from '../load-run.ts'
import type { Sample } from '../measure.ts'
import type { Started } from '../others/other.ts'
import { type HdfsPlace, type OpenPlace, openHdfs, openLocal, type Place } from '../places.ts'
import { readCpuSeconds } from '../proc.ts'
import { runToEnd } from '../process.ts'
import type { ReadFilesOptions, ReadFilesResult } from '../read-files.ts'
import type { TransferResult } from '../transfer.ts'
import { transfer } from '../transfer-run.ts'
import type { OpenTrial } from '../trial.ts'
import { jvmWarmUpMs, openBeside, served } from './beside.ts'

export const fileBytes = 4_096
export const connections = 16
/** Of G9; a part of them where `--gigabytes` is less than one, as of those below. */
export const filesToRead = 10_000
/** Of one directory, as G10 and G11 have it. */
export const filesToList = 5_000

const directory = '/bench/files'
const nameOf = (number: number | '*'): string => `part-${number}.txt`
const anyFile = `${directory}/${nameOf('*')}`
/** Whole directories as rows that are asked for. */
const requests = 3

/** Files of HDFS one by one, beside clients of WebHDFS itself. */
export const openSmallFiles: OpenTrial = reads(openHdfs, askWebHdfs)
/** The same, beside HttpFS. */
export const openHttpFsSmallFiles: OpenTrial = reads(openHdfs, startHttpFsFor)
/** The same, by the WebHDFS API of both. */
export const openHttpFsApiSmallFiles: OpenTrial = reads(openHdfs, startHttpFsFor, startWebHdfsApi)
/** Those of the embedded file system, beside the bare gateway. */
export const openLocalSmallFiles: OpenTrial = reads(openLocal, startBareFiles)

/** The names in a directory of HDFS, beside HttpFS. */
export const openNames: OpenTrial = lists(openHdfs, startHttpFsFor, jvmWarmUpMs)
/** The same by the WebHDFS API of both, for some clients at a time. */
export const openApiNames: OpenTrial = lists(openHdfs, startHttpFsFor, jvmWarmUpMs, {
  sluice: startWebHdfsApi,
  connections,
})
/** Those of the embedded file system, beside the bare gateway. */
export const openLocalNames: OpenTrial = lists(openLocal, startBareFiles)

/** Rows of all files in a directory of HDFS, beside clients that fetch them from WebHDFS. */
export const openDirectoryRows: OpenTrial = openBeside<HdfsPlace>(openHdfs, fill(filesToList), {
  sluice: served(startGateway(), measureRows),
  baseline: served(askWebHdfs, async (server, place) =>
    toWhole(await measureReads(filesToList)(server, place), toCount(place, filesToList)),
  ),
})

/** Those of the embedded file system, beside a process that reads them. */
export const openLocalDirectoryRows: OpenTrial = openBeside<Place>(openLocal, fill(filesToList), {
  sluice: served(startGateway(), measureRows),
  baseline: async place => {
    const { directory: cwd, durationMs } = place.options
    const files = toCount(place, filesToList)
    const what = { path: place.local(anyFile), files, bytes: fileBytes, atATime: connections, durationMs }
    const args = [JSON.stringify(what satisfies ReadFilesOptions)]
    const script = { script: join(import.meta.dirname, '../read-files.ts'), args, core: 'server', cwd } as const
    return { ...((await runToEnd(script, readTimeoutMs)) as ReadFilesResult), cpuUs: 0 }
  },
})

function reads<P extends Place>(
  open: OpenPlace<P>,
  peer: StartFor<P, Reads>,
  sluice: StartFor<Place, Reads> = startGateway(),
): OpenTrial {
  return openBeside<P>(open, fill(filesToRead), {
    sluice: served(sluice, measureReads(filesToRead, jvmWarmUpMs)),
    baseline: served(peer, measureReads(filesToRead, jvmWarmUpMs)),
  })
}

type Listed = {
  /** @default the gateway's own API */
  readonly sluice?: StartFor<Place, Lists>
  /** @default 1 */
  readonly connections?: number
}

function lists<P extends Place>(
  open: OpenPlace<P>,
  peer: StartFor<P, Lists>,
  warmUpMs?: number,
  { sluice = startGateway(), connections: atATime = 1 }: Listed = {},
): OpenTrial {
  return openBeside<P>(open, fill(filesToList), {
    sluice: served(sluice, measureList(atATime, warmUpMs)),
    baseline: served(peer, measureList(atATime, warmUpMs)),
  })
}

/** Writes the files, some at a time. */
function fill(most: number) {
  return async (place: Place): Promise<void> => {
    const numbers = Array.from({ length: toCount(place, most) }, (_, number) => number).values()
    await mkdir(place.local(directory), { recursive: true })
    const publish = async (): Promise<void> => {
      for (const number of numbers) {
        const path = `${directory}/${nameOf(number)}`
        writeFileSync(place.local(path), toText(number))
        await place.publish(path)
      }
    }
    await Promise.all(Array.from({ length: connections }, publish))
  }
}

const toCount = ({ options: { gigabytes } }: Place, most: number): number => Math.ceil(most * Math.min(1, gigabytes))

const linesOfFile = 30
const readTimeoutMs = 600_000

/** Lines of five columns, filled up to the size of a file. */
const toText = (number: number): string => {
  const lines = Array.from({ length: linesOfFile }, (_, i) => createLine(number + i)).join('\n')
  return `${lines.padEnd(fileBytes - 1, '0')}\n`
}

function measureReads(most: number, warmUpMs?: number) {
  return async (server: Started & Reads, place: Place): Promise<Sample> => {
    const files = toCount(place, most)
    const request = { url: server.open(anyFile), files, connections, answerBytes: fileBytes }
    return await measureCpu(server, place, () => transfer(place.options, { ...request, ...times(place, warmUpMs) }))
  }
}

function measureList(atATime: number, warmUpMs?: number) {
  return async (server: Started & Lists, place: Place): Promise<Sample> => {
    const url = server.list(directory)
    const text = await readText(url)
    const names = new Set(text.match(/part-\d+\.txt/g)).size
    if (names !== toCount(place, filesToList)) throw new Error(`${url} gave ${names} names`)
    const answerBytes = Buffer.byteLength(text)
    return await measureCpu(server, place, () =>
      transfer(place.options, { url, answerBytes, connections: atATime, ...times(place, warmUpMs) }),
    )
  }
}

async function measureRows(server: Started & MakesRows, place: Place): Promise<Sample> {
  const url = server.rows(directory)
  const text = await readText(url)
  const rows = text.match(/"www\d+\.example\.org"/g)?.length
  if (rows !== toCount(place, filesToList) * linesOfFile) throw new Error(`${url} gave ${rows} rows`)
  const answerBytes = Buffer.byteLength(text)
  return await measureCpu(server, place, () => transfer(place.options, { url, answerBytes, requests }))
}

const times = ({ options: { durationMs } }: Place, warmUpMs = toWarmUpMs(durationMs)) => ({ durationMs, warmUpMs })

/** All files of a directory at the rate of a run. */
const toWhole = (sample: Sample, files: number): Sample => {
  const ms = (files / sample.rate) * 1_000
  return { ...sample, p50Ms: ms, p99Ms: ms, maxMs: ms }
}

/** CPU time is that for a request, those of the warm-up among them. */
const measureCpu = async (
  { pid }: Started,
  { cpuSeconds }: Place,
  run: () => Promise<TransferResult>,
): Promise<Sample> => {
  const before = { server: readCpuSeconds(pid), cluster: cpuSeconds() }
  const { requests: counted, seconds, allRequests, bytes: _, ...latencies } = await run()
  const each = (spent: number): number => (spent * 1e6) / allRequests
  return {
    ...latencies,
    rate: counted / seconds,
    cpuUs: each(readCpuSeconds(pid) - before.server),
    clusterCpuUs: each(cpuSeconds() - before.cluster),
  }
}

const readText = async (url: string): Promise<string> => {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}`)
  return answer.text()
}
