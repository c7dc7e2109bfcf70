/** G1 and O3: a large file down and up by `curl`, through Sluice and by another way. */
import { stat } from 'node:fs/promises'
import { makeCertificate } from '../certificate.ts'
import { curl, curlSoftware } from '../curl.ts'
import {
  askStore,
  askWebHdfs,
  type OpensLater,
  type Reads,
  type StartFor,
  startBareFiles,
  startBarePipe,
  startGateway,
  startHttpFsFor,
  startNginxFor,
  startWebHdfsApi,
  type Writes,
} from '../file-servers.ts'
import { writeText } from '../files.ts'
import type { Sample } from '../measure.ts'
import { median } from '../median.ts'
import type { Started } from '../others/other.ts'
import { type HdfsPlace, openHdfs, openLocal, openStore, type Place, type StorePlace } from '../places.ts'
import { hasProc, measureGrowth, readCpuSeconds } from '../proc.ts'
import { type OpenTrial, Skipped } from '../trial.ts'
import { jvmWarmUpMs, openBeside, served } from './beside.ts'

/** A part of it where `--gigabytes` is less than one. */
const mostBytes = 2 ** 30
/** What any first request takes is not growth, and does not count. */
const smallBytes = 64e6
const requests = 3
const large = '/bench/large'
const small = '/bench/small'
const uploaded = '/bench/uploaded'

/** From HDFS, beside the same `curl` that asks WebHDFS itself. */
export const openDownload: OpenTrial = downloads(askWebHdfs)

/** From HDFS, beside HttpFS. */
export const openHttpFsDownload: OpenTrial = downloads(startHttpFsFor, { warmUpMs: jvmWarmUpMs })

/** From HDFS, beside the least that a gateway can do. */
export const openPipedDownload: OpenTrial = downloads(startBarePipe)

/** From HDFS by the WebHDFS API, beside the same `curl` that asks WebHDFS itself, and beside the least that a gateway can do. */
export const openApiDownload: OpenTrial = downloads(askWebHdfs, {}, startWebHdfsApi)
export const openPipedApiDownload: OpenTrial = downloads(startBarePipe, {}, startWebHdfsApi)

/** From HDFS with TLS to the client, beside nginx. */
export const openTlsDownload: OpenTrial = options => {
  const { cert, key } = makeCertificate(options.directory)
  const tls = [`server.tls.cert=${cert}`, `server.tls.key=${key}`]
  return downloads(startNginxFor({ cert, key }), { args: ['--cacert', cert] }, startGateway(tls))(options)
}

/** From the embedded file system, beside the bare gateway. */
export const openLocalDownload: OpenTrial = openBeside<Place>(openLocal, makeFiles, {
  sluice: served(startGateway(), download()),
  baseline: served(startBareFiles, download()),
})

/** The same, by the WebHDFS API. */
export const openLocalApiDownload: OpenTrial = openBeside<Place>(openLocal, makeFiles, {
  sluice: served(startWebHdfsApi, download()),
  baseline: served(startBareFiles, download()),
})

/** From an object store, beside the same `curl` that asks the store itself. */
export const openStoreDownload: OpenTrial = openBeside<StorePlace>(openStore, makeFiles, {
  sluice: served(startGateway(), download()),
  baseline: served(askStore, download()),
})

/** Into HDFS, beside the same `curl` that asks WebHDFS itself. */
export const openUpload: OpenTrial = uploads(askWebHdfs)

/** The same, by the WebHDFS API. */
export const openApiUpload: OpenTrial = uploads(askWebHdfs, {}, startWebHdfsApi)

/** Into HDFS, beside HttpFS. */
export const openHttpFsUpload: OpenTrial = uploads(startHttpFsFor, { warmUpMs: jvmWarmUpMs })

type Requests = {
  /** How long there are requests that do not count; one at least. @default 0 */
  readonly warmUpMs?: number
  /** More arguments of `curl`. */
  readonly args?: readonly string[]
}

function downloads(
  peer: StartFor<HdfsPlace, Reads>,
  requested?: Requests,
  sluice: StartFor<Place, Reads> = startGateway(),
): OpenTrial {
  return openBeside<HdfsPlace>(openHdfs, makeFiles, {
    sluice: served(sluice, download(requested)),
    baseline: served(peer, download(requested)),
  })
}

function uploads(
  peer: StartFor<HdfsPlace, Writes>,
  requested?: Requests,
  sluice: StartFor<Place, Writes> = startGateway(),
): OpenTrial {
  return openBeside<HdfsPlace>(openHdfs, makeLarge, {
    sluice: served(sluice, upload(requested)),
    baseline: served(peer, upload(requested)),
  })
}

async function makeFiles(place: Place): Promise<void> {
  if (!hasProc) throw new Skipped('no /proc here: memory cannot be watched')
  await makeLarge(place)
  writeText(place.local(small), smallBytes)
  for (const path of [small, large]) await place.publish(path)
}

async function makeLarge({ options, local }: Place): Promise<void> {
  await curlSoftware.describe()
  writeText(local(large), mostBytes * Math.min(1, options.gigabytes))
}

function download({ warmUpMs, args = [] }: Requests = {}) {
  return async (server: Started & OpensLater, { options, lengthOf }: Place): Promise<Sample> => {
    const read = async (path: string): Promise<number> => {
      const url = await server.open(path)
      const { bytes, seconds } = await curl(options, { url, status: 200, args: ['-L', ...args] })
      const length = await lengthOf(path)
      if (bytes !== length) throw new Error(`${url} gave ${bytes} bytes, not ${length}`)
      return seconds
    }
    await read(small)
    const { growthMb, done } = await measureGrowth(server.pid, () => repeat(server, () => read(large), warmUpMs))
    return { ...toSample(done, await lengthOf(large)), megabytes: growthMb }
  }
}

function upload({ warmUpMs }: Requests = {}) {
  return async (server: Started & Writes, { options, local, lengthOf }: Place): Promise<Sample> => {
    const { size: length } = await stat(local(large))
    const { url, method, isRedirected = false } = server.create(uploaded)
    const body = ['-X', method, '-T', local(large), '-H', 'Content-Type: application/octet-stream', '-H', 'Expect:']
    const write = async (): Promise<number> => {
      const asked = isRedirected ? await curl(options, { url, status: 307, args: ['-X', method] }) : undefined
      const { seconds } = await curl(options, { url: asked?.location ?? url, status: 201, args: body })
      const arrived = await lengthOf(uploaded)
      if (arrived !== length) throw new Error(`${arrived} bytes of ${length} arrived by ${url}`)
      return seconds + (asked?.seconds ?? 0)
    }
    return toSample(await repeat(server, write, warmUpMs), length)
  }
}

type Times = {
  /** Of each request that counts. */
  readonly seconds: readonly number[]
  /** That the server took meanwhile. */
  readonly cpuSeconds: number
}

const repeat = async ({ pid }: Started, send: () => Promise<number>, warmUpMs = 0): Promise<Times> => {
  const until = performance.now() + warmUpMs
  do await send()
  while (performance.now() < until)
  const before = readCpuSeconds(pid)
  const seconds: number[] = []
  for (let i = 0; i < requests; i++) seconds.push(await send())
  return { seconds, cpuSeconds: readCpuSeconds(pid) - before }
}

/** CPU time is that for a megabyte. */
const toSample = ({ seconds, cpuSeconds }: Times, length: number): Sample => {
  const megabytes = (length * requests) / 1e6
  const maxMs = Math.max(...seconds) * 1_000
  return {
    rate: megabytes / seconds.reduce((sum, one) => sum + one, 0),
    p50Ms: median(seconds) * 1_000,
    p99Ms: maxMs,
    maxMs,
    cpuUs: (cpuSeconds * 1e6) / megabytes,
  }
}
