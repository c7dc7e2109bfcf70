import { setTimeout as sleep } from 'node:timers/promises'
import * as Flags from '@oclif/core/flags'
import { beanNames } from '../lib/collector-beans.ts'
import { rpcCommand } from '../lib/command.ts'
import { takeHistory } from '../lib/history.ts'
import { toHistoryView } from '../lib/history-view.ts'
import { createScreen } from '../lib/screen.ts'
import { type Sample, takeSample } from '../lib/stats.ts'
import { maxHistory, toStatsView } from '../lib/stats-view.ts'
import { parseTimeSpan } from '../lib/time-span.ts'
import { toJson } from '../lib/to-json.ts'

export const commands = {
  stats: rpcCommand({
    summary: 'Rates, queues and latencies.',
    description:
      'With --watch a live table with charts, until Ctrl-C; in a pipe, or with --json, one look after another. With --since ' +
      'what the server remembers of the time until now, a day at most, with charts.',
    examples: [
      'sluice stats',
      'sluice stats --watch',
      'sluice stats --since 6h',
      'sluice stats --watch --interval 5 --count 12 --json',
    ],
    flags: {
      watch: Flags.boolean<boolean>({ char: 'w', summary: 'go on', default: false }),
      interval: Flags.integer({ char: 'i', summary: 'seconds between looks', default: 1, min: 1, max: 3_600 }),
      count: Flags.integer({ char: 'n', summary: 'end after so many looks', min: 1, dependsOn: ['watch'] }),
      since: Flags.string({ char: 's', summary: 'how long back, such as 10min or 6h', exclusive: ['watch'] }),
    },
    run: async ({ flags, connect, log, isJson }) => {
      const spanMs = flags.since === undefined ? undefined : parseTimeSpan(flags.since)
      const rpc = await connect()
      if (spanMs !== undefined) {
        const samples = await takeHistory(rpc, spanMs)
        log(toHistoryView(samples, process.stdout.columns))
        return samples
      }
      const names = await beanNames(rpc)
      if (!flags.watch) {
        const sample = await takeSample(rpc, names)
        log(toStatsView([sample], process.stdout.columns))
        return sample
      }
      const history: Sample[] = []
      const screen = createScreen(`sluice stats  ${rpc.url}`)
      try {
        for (let look = 0; flags.count === undefined || look < flags.count; look++) {
          if (look > 0) await sleep(flags.interval * 1_000)
          history.push(await takeSample(rpc, names))
          if (history.length > maxHistory + 1) history.shift()
          if (isJson) process.stdout.write(`${toJson(history.at(-1), 0)}\n`)
          else screen.draw(toStatsView(history, process.stdout.columns))
        }
      } finally {
        screen.end()
      }
      // Each look was written as its own line already.
      return undefined
    },
  }),
}
