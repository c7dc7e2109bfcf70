/** G6: a directory with very many entries, of the embedded file system. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeEntries } from '../files.ts'
import { hasProc, measureGrowth } from '../proc.ts'
import { type Server, startBareGateway, startSluice } from '../servers.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import { type OpenTrial, Skipped, type Trial, type TrialOptions } from '../trial.ts'

const entries = 250_000
const pages = 3

/** The browsing page; the bare server has no pages and sends everything. */
export const openDirectoryPage: OpenTrial = options =>
  openDirectory(options, { path: '/rest/1.0/hdfs', query: {} }, pages)

/** The whole listing, without contents. */
export const openDirectoryListing: OpenTrial = options =>
  openDirectory(options, { path: '/rest/1.0/json', query: { content: 'false' } }, 1)

const openDirectory = async (
  options: TrialOptions,
  route: { readonly path: string; readonly query: Readonly<Record<string, string>> },
  requests: number,
): Promise<Trial> => {
  if (!hasProc) throw new Skipped('no /proc here: memory cannot be watched')
  const data = join(options.directory, 'directory')
  const directory = join(data, 'fs', 'many')
  makeEntries(directory, entries)
  const run = async (server: Server, toAddress: (size: 'few' | 'many') => string) => {
    try {
      await transfer(options, { url: toAddress('few'), requests: 5 })
      const { growthMb, done } = await measureGrowth(server.pid, () =>
        transfer(options, { url: toAddress('many'), requests }),
      )
      const { seconds, bytes: _, ...times } = done
      return { rate: (entries * requests) / seconds, ...times, cpuUs: 0, megabytes: growthMb }
    } finally {
      await server.stop()
    }
  }
  return {
    sluice: async () => {
      const server = await startSluice(options, data, ['services=gateway'])
      return run(server, size =>
        toUrl(server.url, route.path, { path: size === 'many' ? '/many' : '/', ...route.query }),
      )
    },
    baseline: async () => {
      const server = await startBareGateway(options)
      return run(server, size => toUrl(server.url, '/list', { path: size === 'many' ? directory : join(data, 'fs') }))
    },
    close: () => rm(directory, { recursive: true, force: true }),
  }
}
