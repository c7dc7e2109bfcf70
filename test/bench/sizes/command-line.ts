/** How long commands take, from spawn to exit. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { median } from '../median.ts'
import { startSluice } from '../servers.ts'
import type { MeasureSizes } from './size.ts'
import { toMs } from './size.ts'

const warmUpRuns = 1
const runs = 7
const root = join(import.meta.dirname, '../../..')

/** `sluice --version`, and `sluice beans list` of a server that runs, beside `node -e 0`. */
export const measureCommandLine: MeasureSizes = async options => {
  const data = await mkdtemp(join(options.directory, 'cli-'))
  const server = await startSluice(options, data, [])
  try {
    const sluice = join(root, 'bin/sluice.js')
    const beside = toMs(time(['-e', '0']))
    return [
      { what: '`sluice --version`', value: toMs(time([sluice, '--version'])), beside },
      {
        what: '`sluice beans list`',
        value: toMs(time([sluice, 'beans', 'list', '--url', server.adminUrl])),
        beside,
      },
    ]
  } finally {
    await server.stop()
    await rm(data, { recursive: true, force: true })
  }
}

const time = (args: readonly string[]): number => {
  const times = Array.from({ length: warmUpRuns + runs }, () => {
    const startedAt = performance.now()
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`"sluice ${args.slice(1).join(' ')}" ended with ${status}: ${stderr}`)
    return performance.now() - startedAt
  })
  return median(times.slice(warmUpRuns))
}
