/** What a directory takes over the number of its entries, on the embedded file system. */
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startBareGateway, startSluice } from '../servers.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import type { Sweep } from './sweep.ts'

const warmUpRequests = 5
/** Small directories are asked for several times, large ones once. */
const toRequests = (entries: number): number => Math.max(1, Math.min(10, Math.round(20_000 / entries)))
const pages = 5

/** From a few entries to a quarter of a million. */
export const directorySweep: Sweep = {
  name: 'directory-size',
  title: 'Listing over the size of a directory',
  what: 'The first page for browsers, and the whole listing as JSON; the bare server: `lstat` and `JSON.stringify`.',
  x: { label: 'entries', scale: 'log' },
  xs: [10, 100, 1_000, 10_000, 100_000, 250_000],
  panels: [
    { y: { label: 'p50 (ms)', scale: 'log' }, series: ['first page', 'whole listing', 'whole, node:http'] },
    { y: { label: 'entries/s, whole' }, series: ['Sluice', 'node:http'] },
  ],
  open: async options => {
    const data = join(options.directory, 'listing')
    const directory = join(data, 'fs', 'many')
    mkdirSync(directory, { recursive: true })
    const sluice = await startSluice(options, data, ['services=gateway'])
    const bare = await startBareGateway(options)
    const urls = {
      page: toUrl(sluice.url, '/rest/1.0/hdfs', { path: '/many' }),
      whole: toUrl(sluice.url, '/rest/1.0/json', { path: '/many', content: 'false' }),
      bare: toUrl(bare.url, '/list', { path: directory }),
    }
    let made = 0
    return {
      measure: async entries => {
        for (; made < entries; made++)
          closeSync(openSync(join(directory, `part-${String(made).padStart(6, '0')}`), 'w'))
        const ask = async (url: string, requests: number): Promise<number> => {
          if (entries <= 1_000) await transfer(options, { url, requests: warmUpRequests })
          return (await transfer(options, { url, requests })).p50Ms
        }
        const page = await ask(urls.page, pages)
        const whole = await ask(urls.whole, toRequests(entries))
        const all = await ask(urls.bare, toRequests(entries))
        const rates = [(entries * 1_000) / whole, (entries * 1_000) / all]
        return { reading: [[page, whole, all], rates] }
      },
      close: async () => {
        await sluice.stop()
        await bare.stop()
        await rm(data, { recursive: true, force: true })
      },
    }
  },
}
