/** G2: what streaming does to the resident memory, through the embedded file system and through HDFS. */
import { startBareFiles, startGateway, type WholeGateway } from '../file-servers.ts'
import { writeText } from '../files.ts'
import type { Sample } from '../measure.ts'
import type { Started } from '../others/other.ts'
import type { OpenPlace, Place } from '../places.ts'
import { hasProc, measureGrowth } from '../proc.ts'
import type { TransferOptions } from '../transfer.ts'
import { transfer } from '../transfer-run.ts'
import { type OpenTrial, Skipped, type TrialOptions } from '../trial.ts'
import { openBeside, served } from './beside.ts'

/** The first of this size is for the code and the heap that any request needs; growth counts from then on. */
const warmUpBytes = 64e6
const uploaded = '/bench/uploaded'

/** All three are of a place, beside the bare gateway and a file of this machine. */
export const openDownloadMemory = (open: OpenPlace<Place>): OpenTrial =>
  openMemory(open, (server, path) => ({ url: server.open(path) }))

export const openRowsMemory = (open: OpenPlace<Place>): OpenTrial =>
  openMemory(open, (server, path) => ({ url: server.rows(path) }))

export const openUploadMemory = (open: OpenPlace<Place>): OpenTrial =>
  openMemory(open, (server, _path, uploadBytes) => ({ url: server.create(uploaded).url, method: 'POST', uploadBytes }))

type ToRequest = (
  server: WholeGateway,
  path: string,
  bytes: number,
) => Pick<TransferOptions, 'url'> & Partial<TransferOptions>

const openMemory = (open: OpenPlace<Place>, toRequest: ToRequest): OpenTrial => {
  const measure = (server: Started & WholeGateway, place: Place): Promise<Sample> => run(server, place, toRequest)
  return openBeside(open, makeFiles, {
    sluice: served(startGateway(), measure),
    baseline: served(startBareFiles, measure),
  })
}

const sizes = { small: () => warmUpBytes, large: ({ gigabytes }: TrialOptions) => Math.round(gigabytes * 1e9) }
type Size = keyof typeof sizes
const toPath = (size: Size): string => `/bench/${size}`

const run = async (server: Started & WholeGateway, { options }: Place, toRequest: ToRequest): Promise<Sample> => {
  const send = (size: Size) => transfer(options, toRequest(server, toPath(size), sizes[size](options)))
  await send('small')
  const { growthMb, done } = await measureGrowth(server.pid, () => send('large'))
  const { seconds, p50Ms, p99Ms, maxMs } = done
  return { rate: sizes.large(options) / seconds / 1e6, p50Ms, p99Ms, maxMs, cpuUs: 0, megabytes: growthMb }
}

const makeFiles = async (place: Place): Promise<void> => {
  if (!hasProc) throw new Skipped('no /proc here: memory cannot be watched')
  for (const size of ['small', 'large'] as const) {
    writeText(place.local(toPath(size)), sizes[size](place.options))
    await place.publish(toPath(size))
  }
}
