import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { CodecName } from '../../../src/codecs/codecs.ts'
import type { OutputFormat } from '../../../src/spool/files/bucket-file.ts'
import type { MeasureOptions } from '../measure.ts'
import { measureGrowth, readCpuSeconds } from '../proc.ts'
import { startSluice } from '../servers.ts'
import { createSpoolWatch, type SpoolFigures, type SpoolWatch } from '../spool-watch.ts'
import { type RecordedLog, recordLog } from './recorded-log.ts'
import type { Sealed } from './sealed.ts'

const lookEveryMs = 20
const maxMs = 120_000

/**
 * A server on both cores finds a recorded log, and has no load: its threads seal it, and it commits the files
 * to the embedded file system. What counts begins when a tenth is committed, and ends when all of it is.
 */
export const sealQueue = async (
  options: MeasureOptions,
  format: OutputFormat,
  codec: CodecName,
  recorded: RecordedLog,
): Promise<Sealed> => {
  const data = join(options.directory, 'data')
  const spool = join(data, '.diskpool')
  await mkdir(spool, { recursive: true })
  await recordLog({ ...recorded, directory: spool })
  const settings = ['services=collector', `collector.output.format=${format}`, `collector.output.compression=${codec}`]
  const server = await startSluice(options, data, settings, 'both')
  try {
    const watch = createSpoolWatch(server.adminUrl)
    const { growthMb, done } = await measureGrowth(server.pid, async () => {
      const all = recorded.segments * recorded.eventsPerSegment
      const from = await waitFor(watch, all / 10)
      const cpuBefore = readCpuSeconds(server.pid)
      const to = await waitFor(watch, all)
      return { from, to, cpuSeconds: readCpuSeconds(server.pid) - cpuBefore }
    })
    const { from, to, cpuSeconds } = done
    const rows = to.flushed - from.flushed
    const milliseconds = to.at - from.at
    return {
      rowsPerSecond: (rows * 1_000) / milliseconds,
      cpuUs: (cpuSeconds * 1e6) / rows,
      megabytes: growthMb,
      milliseconds,
    }
  } finally {
    await server.stop()
  }
}

/** Polls until this many events are committed. @throws Error when that takes too long, or a commit fails */
const waitFor = async (watch: SpoolWatch, events: number): Promise<SpoolFigures> => {
  const startedAt = performance.now()
  for (;;) {
    const figures = await watch.read()
    if (figures.flushErrors > 0) throw new Error(`${figures.flushErrors} files could not be committed`)
    if (figures.flushed >= events) return figures
    if (figures.at - startedAt > maxMs) throw new Error(`${figures.flushed} events of ${events} were committed in time`)
    await setTimeout(lookEveryMs)
  }
}
