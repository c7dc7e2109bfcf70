/** What a file takes over its size: its first rows, all of its bytes, all of its rows; on the embedded file system. */
import { mkdirSync } from 'node:fs'
import { rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { makeHuge, writeSequenceFile, writeText } from '../files.ts'
import { startBareGateway, startSluice } from '../servers.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import { Skipped } from '../trial.ts'
import type { Sweep } from './sweep.ts'

/** Total bytes of the downloads of one point, at least one file. */
const bytesPerPoint = 200e6
const maxRequests = 20
const firstRowsRequests = 20
/** More than that as rows takes too long for its value. */
const maxBytesAsRows = 1e9
/** Values of a sequence file; the rest of its length are zeros at the end, which are not read. */
const maxSequenceBytes = 8e6

/** From a megabyte to some gigabytes. */
export const fileSweep: Sweep = {
  name: 'file-size',
  title: 'Reading over the size of a file',
  what: 'The first 51 rows as JSON, the whole file, and all rows as JSON; the bare server: rows of 64 KiB, a pipe, and split lines.',
  x: { label: 'bytes of the file', scale: 'log' },
  xs: [1e6, 1e7, 1e8, 1e9, 4e9],
  panels: [
    {
      y: { label: 'first 51 rows, p50 (ms)', scale: 'log' },
      series: ['text', 'sequence file', 'text, node:http'],
    },
    { y: { label: 'download (MB/s)' }, series: ['Sluice', 'node:http'] },
    { y: { label: 'text as rows (MB/s)' }, series: ['Sluice', 'node:http'] },
  ],
  open: async options => {
    const data = join(options.directory, 'reading')
    const root = join(data, 'fs')
    mkdirSync(root, { recursive: true })
    const text = join(root, 'text')
    const sequence = join(root, 'sequence')
    const sluice = await startSluice(options, data, ['services=gateway'])
    const bare = await startBareGateway(options)
    const first = async (url: string): Promise<number> => {
      await transfer(options, { url, requests: firstRowsRequests })
      return (await transfer(options, { url, requests: firstRowsRequests })).p50Ms
    }
    const rate = async (url: string, ofBytes: number): Promise<number> => {
      const requests = Math.max(1, Math.min(maxRequests, Math.round(bytesPerPoint / ofBytes)))
      const { seconds } = await transfer(options, { url, requests })
      return (ofBytes * requests) / seconds / 1e6
    }
    const json = (path: string, more = {}): string => toUrl(sluice.url, '/rest/1.0/json', { path, ...more })
    const atBare = (route: string): string => toUrl(bare.url, route, { path: text })
    return {
      measure: async bytes => {
        const { bavail, bsize } = await statfs(root)
        if (bavail * bsize < 3 * bytes) throw new Skipped('the disk has no room for it')
        const size = writeText(text, bytes)
        writeSequenceFile(sequence, Math.min(bytes, maxSequenceBytes))
        makeHuge(sequence, bytes)
        const range = { range: '1-50' }
        const rows = async (url: string) => (bytes > maxBytesAsRows ? undefined : await rate(url, size))
        const download = toUrl(sluice.url, '/rest/1.0/binary', { path: '/text' })
        return {
          reading: [
            [await first(json('/text', range)), await first(json('/sequence', range)), await first(atBare('/first'))],
            [await rate(download, size), await rate(atBare('/file'), size)],
            [await rows(json('/text')), await rows(atBare('/rows'))],
          ],
        }
      },
      close: async () => {
        await sluice.stop()
        await bare.stop()
        await rm(data, { recursive: true, force: true })
      },
    }
  },
}
