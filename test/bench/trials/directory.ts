/** G6: a directory with very many entries, of the embedded file system, or as many keys below a prefix of an object store. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeEntries } from '../files.ts'
import type { ListStatusOptions, ListStatusResult } from '../list-status.ts'
import type { Sample } from '../measure.ts'
import { hasProc, measureGrowth } from '../proc.ts'
import { runToEnd } from '../process.ts'
import { type Server, startBareGateway, startScript, startSluice } from '../servers.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import { type OpenTrial, Skipped, type Trial, type TrialOptions } from '../trial.ts'

const entries = 250_000
const pages = 3

/** Where Sluice has the entries; the bare server has them on the disk. */
type Where = 'local' | 'store'

/** The browsing page; the bare server has no pages and sends everything. */
export const openDirectoryPage: OpenTrial = options =>
  openDirectory(options, { path: '/rest/1.0/hdfs', query: {} }, pages, 'local')
export const openPrefixPage: OpenTrial = options =>
  openDirectory(options, { path: '/rest/1.0/hdfs', query: {} }, pages, 'store')

/** The whole listing, without contents. */
export const openDirectoryListing: OpenTrial = options =>
  openDirectory(options, { path: '/rest/1.0/json', query: { content: 'false' } }, 1, 'local')
export const openPrefixListing: OpenTrial = options =>
  openDirectory(options, { path: '/rest/1.0/json', query: { content: 'false' } }, 1, 'store')

/** The whole listing by the WebHDFS API, at once and in pages. */
export const openListStatus: OpenTrial = options => openWebHdfs(options, 'LISTSTATUS')
export const openListStatusBatch: OpenTrial = options => openWebHdfs(options, 'LISTSTATUS_BATCH')

type Route = { readonly path: string; readonly query: Readonly<Record<string, string>> }

const openDirectory = (options: TrialOptions, route: Route, requests: number, where: Where): Promise<Trial> => {
  const read = async (url: string): Promise<Sample> => {
    const { seconds, bytes: _, ...times } = await transfer(options, { url, requests })
    return { rate: (entries * requests) / seconds, ...times, cpuUs: 0 }
  }
  const toAddress = ({ url }: Server, path: string) => toUrl(url, route.path, { path, ...route.query })
  return openBothSides(options, toAddress, { sluice: read, baseline: read }, where)
}

const openWebHdfs = (options: TrialOptions, op: 'LISTSTATUS' | 'LISTSTATUS_BATCH'): Promise<Trial> => {
  const toAddress = ({ url }: Server, path: string) => toUrl(url, `/webhdfs/v1${path}`, { op })
  const read = (isPaged: boolean) => (url: string) => listStatus(options, { url, entries, isPaged })
  return openBothSides(options, toAddress, { sluice: read(op === 'LISTSTATUS_BATCH'), baseline: read(false) }, 'local')
}

const timeoutMs = 600_000

/** Runs `list-status.ts` in a process of its own, on the core of the load. */
const listStatus = async ({ directory: cwd }: TrialOptions, what: ListStatusOptions): Promise<Sample> => {
  const args = [JSON.stringify(what)]
  const script = { script: join(import.meta.dirname, '../list-status.ts'), args, core: 'load', cwd } as const
  const { totalMs, firstByteMs, maxPageMs } = (await runToEnd(script, timeoutMs)) as ListStatusResult
  return {
    rate: (entries / totalMs) * 1_000,
    p50Ms: totalMs,
    p99Ms: totalMs,
    maxMs: maxPageMs,
    cpuUs: 0,
    firstByteMs,
  }
}

/** How an address is read that lists all of it. */
type Read = (url: string) => Promise<Sample>

/** Sluice and the bare gateway, with the same directory; growth of memory is that of the one reading that counts. */
const openBothSides = async (
  options: TrialOptions,
  toAddress: (server: Server, path: string) => string,
  read: { readonly sluice: Read; readonly baseline: Read },
  where: Where,
): Promise<Trial> => {
  if (!hasProc) throw new Skipped('no /proc here: memory cannot be watched')
  const data = join(options.directory, 'directory')
  const directory = join(data, 'fs', 'many')
  makeEntries(directory, entries)
  const store = where === 'store' ? await startScript(options, 'prefix-store.ts', [String(entries)], 'load') : undefined
  const run = async (server: Server, of: { few: string; many: string }, readMany: Read): Promise<Sample> => {
    try {
      await transfer(options, { url: of.few, requests: 5 })
      const { growthMb, done } = await measureGrowth(server.pid, () => readMany(of.many))
      return { ...done, megabytes: growthMb }
    } finally {
      await server.stop()
    }
  }
  return {
    sluice: async () => {
      const server = await startSluice(options, data, ['services=gateway', ...(store ? toCluster(store) : [])])
      return run(server, { few: toAddress(server, '/'), many: toAddress(server, '/many') }, read.sluice)
    },
    baseline: async () => {
      const server = await startBareGateway(options)
      const toList = (path: string) => toUrl(server.url, '/list', { path })
      return run(server, { few: toList(join(data, 'fs')), many: toList(directory) }, read.baseline)
    },
    close: async () => {
      await store?.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** A store as the default cluster. Its keys are in the environment, which the server inherits. */
const toCluster = ({ url: endpoint }: Server): readonly string[] => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'any'
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'any'
  return [`clusters=${JSON.stringify([{ path: '/', url: 's3://bucket/lake', endpoint, region: 'us-east-1' }])}`]
}
