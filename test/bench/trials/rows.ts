/** G4 and G5: files to JSON rows, through the real gateway on the embedded file system. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeIndex, writeSequenceFile, writeText } from '../files.ts'
import type { Sample } from '../measure.ts'
import { type Server, startBareGateway, startSluice } from '../servers.ts'
import { toUrl, transfer } from '../transfer-run.ts'
import type { OpenTrial, Trial, TrialOptions } from '../trial.ts'

/** Bytes of text, and of unfolded values. */
const bytesOfFile = 100e6
/** Before what is measured, in the same process. */
const warmUpBytes = 20e6

/** Text of five columns → `/rest/1.0/json`; the bare server splits lines and makes objects for `JSON.stringify`. */
export const openTextRows: OpenTrial = options =>
  openRows(options, (path, bytes) => ({ bytes: writeText(path, bytes), bare: { route: '/rows' } }))

/** Sequence file of deflated blocks of Text → `/rest/1.0/json`; the bare server only unfolds the blocks. */
export const openSequenceRows: OpenTrial = options =>
  openRows(options, (path, bytes) => {
    const written = writeSequenceFile(path, bytes)
    const index = `${path}.index.tmp`
    writeIndex(index, written)
    return { bytes: written.valueBytes, bare: { route: '/inflate', index } }
  })

type Made = { readonly bytes: number; readonly bare: { readonly route: string; readonly index?: string } }

const openRows = async (options: TrialOptions, make: (path: string, bytes: number) => Made): Promise<Trial> => {
  const data = join(options.directory, 'rows')
  await mkdir(join(data, 'fs'), { recursive: true })
  const paths = { large: join(data, 'fs', 'large'), small: join(data, 'fs', 'small') }
  const large = make(paths.large, bytesOfFile)
  const small = make(paths.small, warmUpBytes)
  const run = async (server: Server, toAddress: (which: 'large' | 'small') => string): Promise<Sample> => {
    try {
      await transfer(options, { url: toAddress('small') })
      const { seconds, bytes: _, ...times } = await transfer(options, { url: toAddress('large') })
      return { rate: large.bytes / seconds / 1e6, ...times, cpuUs: 0 }
    } finally {
      await server.stop()
    }
  }
  return {
    sluice: async () => {
      const server = await startSluice(options, data, ['services=gateway'])
      return run(server, which => toUrl(server.url, '/rest/1.0/json', { path: `/${which}` }))
    },
    baseline: async () => {
      const server = await startBareGateway(options)
      return run(server, which => {
        const { route, index } = (which === 'large' ? large : small).bare
        return toUrl(server.url, route, { path: paths[which], ...(index === undefined ? {} : { index }) })
      })
    },
    close: async () => {},
  }
}
