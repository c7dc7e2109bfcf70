/** G2: what streaming does to the resident memory, through the embedded file system. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeText } from '../files.ts'
import type { Sample } from '../measure.ts'
import { hasProc, measureGrowth } from '../proc.ts'
import { type Server, startBareGateway, startSluice } from '../servers.ts'
import type { TransferOptions } from '../transfer.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import { type OpenTrial, Skipped, type Trial, type TrialOptions } from '../trial.ts'

/** The first of this size is for the code and the heap that any request needs; growth counts from then on. */
const warmUpBytes = 64e6

export const openDownloadMemory: OpenTrial = options =>
  openReading(options, { sluice: '/rest/1.0/binary', baseline: '/file' })

export const openRowsMemory: OpenTrial = options =>
  openReading(options, { sluice: '/rest/1.0/json', baseline: '/rows' })

export const openUploadMemory: OpenTrial = async options => {
  const data = await makeData(options)
  const send = (server: Server, url: string): Promise<Sample> =>
    run(options, server, size => ({
      url,
      method: 'POST',
      uploadBytes: size === 'large' ? toBytes(options) : warmUpBytes,
    }))
  return {
    sluice: async () => {
      const server = await startSluice(options, data, ['services=gateway'])
      return send(server, toUrl(server.url, '/rest/1.0', { path: '/uploaded', overwrite: 'true' }))
    },
    baseline: async () => {
      const server = await startBareGateway(options)
      return send(server, toUrl(server.url, '/put', { path: join(data, 'fs', 'uploaded-bare') }))
    },
    close: async () => {},
  }
}

const openReading = async (
  options: TrialOptions,
  routes: { readonly sluice: string; readonly baseline: string },
): Promise<Trial> => {
  const data = await makeData(options)
  const paths = { large: join(data, 'fs', 'large'), small: join(data, 'fs', 'small') }
  writeText(paths.small, warmUpBytes)
  writeText(paths.large, toBytes(options))
  return {
    sluice: async () => {
      const server = await startSluice(options, data, ['services=gateway'])
      return run(options, server, size => ({ url: toUrl(server.url, routes.sluice, { path: `/${size}` }) }))
    },
    baseline: async () => {
      const server = await startBareGateway(options)
      return run(options, server, size => ({ url: toUrl(server.url, routes.baseline, { path: paths[size] }) }))
    },
    close: async () => {},
  }
}

type Size = 'small' | 'large'

const run = async (
  options: TrialOptions,
  server: Server,
  toRequest: (size: Size) => Omit<TransferOptions, 'method' | 'requests'> & Partial<TransferOptions>,
): Promise<Sample> => {
  try {
    await transfer(options, toRequest('small'))
    const { growthMb, done } = await measureGrowth(server.pid, () => transfer(options, toRequest('large')))
    const { seconds, bytes: _, ...times } = done
    return { rate: toBytes(options) / seconds / 1e6, ...times, cpuUs: 0, megabytes: growthMb }
  } finally {
    await server.stop()
  }
}

const toBytes = ({ gigabytes }: TrialOptions): number => Math.round(gigabytes * 1e9)

const makeData = async ({ directory }: TrialOptions): Promise<string> => {
  if (!hasProc) throw new Skipped('no /proc here: memory cannot be watched')
  const data = join(directory, 'memory')
  await mkdir(join(data, 'fs'), { recursive: true })
  return data
}
