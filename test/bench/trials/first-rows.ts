/** G3: the first 51 rows of a file of 10 GB, and what is read of it. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeHuge, writeSequenceFile, writeText } from '../files.ts'
import type { Sample } from '../measure.ts'
import { hasProc, readBytesMb } from '../proc.ts'
import { type Server, startBareGateway, startSluice } from '../servers.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import { type OpenTrial, Skipped, type TrialOptions } from '../trial.ts'

const hugeBytes = 10e9
const realBytes = 8e6
const requests = 20

/** A text file; the bare server makes rows of its first 64 KiB. */
export const openFirstTextRows: OpenTrial = options => openFirstRows(options, path => void writeText(path, realBytes))

/** A sequence file of deflated blocks; the bare server does for a text file what it does above. */
export const openFirstSequenceRows: OpenTrial = options =>
  openFirstRows(options, path => void writeSequenceFile(path, realBytes))

const openFirstRows = async (options: TrialOptions, write: (path: string) => void) => {
  if (!hasProc) throw new Skipped('no /proc here: what is read cannot be counted')
  const data = join(options.directory, 'first')
  await mkdir(join(data, 'fs'), { recursive: true })
  const path = join(data, 'fs', 'huge')
  write(path)
  makeHuge(path, hugeBytes)
  const bare = join(data, 'fs', 'huge-text')
  writeText(bare, realBytes)
  makeHuge(bare, hugeBytes)
  const run = async (server: Server, url: string): Promise<Sample> => {
    try {
      await transfer(options, { url, requests })
      const before = readBytesMb(server.pid)
      const { seconds, bytes: _, ...times } = await transfer(options, { url, requests })
      const megabytes = (readBytesMb(server.pid) - before) / requests
      return { rate: requests / seconds, ...times, cpuUs: 0, megabytes }
    } finally {
      await server.stop()
    }
  }
  return {
    sluice: async () => {
      const server = await startSluice(options, data, ['services=gateway'])
      return run(server, toUrl(server.url, '/rest/1.0/json', { path: '/huge', range: '1-50' }))
    },
    baseline: async () => {
      const server = await startBareGateway(options)
      return run(server, toUrl(server.url, '/first', { path: bare }))
    },
    close: async () => {},
  }
}
