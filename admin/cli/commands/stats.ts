import { setTimeout as sleep } from 'node:timers/promises'
import * as Flags from '@oclif/core/flags'
import { rpcCommand } from '../command/command.ts'
import { parseTimeSpan } from '../command/time-span.ts'
import { outputFlag } from '../print/listing.ts'
import { createScreen } from '../print/screen.ts'
import { printLine } from '../print/terminal.ts'
import { toShownJson } from '../print/to-json.ts'
import { beanNames } from '../server/collector-beans.ts'
import { takeHistory, toHistoryRows } from '../server/history.ts'
import { toHistoryView } from '../server/history-view.ts'
import { type StatsSample, takeSample, toStatsRow } from '../server/stats.ts'
import { maxHistory, toStatsView } from '../server/stats-view.ts'

export const commands = {
  stats: rpcCommand({
    summary: 'Rates, queues and latencies.',
    description:
      'With --watch a live table with charts, until Ctrl-C; in a pipe, or with --json, one look after another. With --since ' +
      'what the server remembers of the time until now, a day at most, with charts. As ndjson or csv a line for each look, ' +
      'or for each time that the server remembers; the figures of each API are in the JSON.',
    examples: [
      'sluice stats',
      'sluice stats --watch',
      'sluice stats --since 6h',
      'sluice stats --since 24h --output csv > day.csv',
      'sluice stats --watch --interval 5 --count 12 --json',
    ],
    flags: {
      watch: Flags.boolean<boolean>({ char: 'w', summary: 'refresh until Ctrl-C', default: false }),
      interval: Flags.integer({
        char: 'i',
        summary: 'seconds between looks',
        helpValue: 'SECONDS',
        default: 1,
        min: 1,
        max: 3_600,
      }),
      count: Flags.integer({
        char: 'n',
        summary: 'end after so many looks',
        helpValue: 'COUNT',
        min: 1,
        dependsOn: ['watch'],
      }),
      since: Flags.string({
        char: 's',
        summary: 'how long back, such as 10min or 6h',
        helpValue: 'SPAN',
        exclusive: ['watch'],
      }),
      output: outputFlag,
    },
    run: async ({ flags, connect, log, output, rows }) => {
      const spanMs = flags.since === undefined ? undefined : parseTimeSpan(flags.since)
      const rpc = await connect()
      if (spanMs !== undefined) {
        const samples = await takeHistory(rpc, spanMs)
        log(toHistoryView(samples, process.stdout.columns))
        rows(toHistoryRows(samples))
        return samples
      }
      const names = await beanNames(rpc)
      if (!flags.watch) {
        const sample = await takeSample(rpc, names)
        log(toStatsView([sample], process.stdout.columns))
        rows([toStatsRow(sample)])
        return sample
      }
      const history: StatsSample[] = []
      const screen = createScreen(`sluice stats  ${rpc.url}`)
      try {
        for (let look = 0; flags.count === undefined || look < flags.count; look++) {
          if (look > 0) await sleep(flags.interval * 1_000)
          const sample = await takeSample(rpc, names)
          history.push(sample)
          if (history.length > maxHistory + 1) history.shift()
          if (output === 'json') printLine(toShownJson(sample, 0))
          else if (output === 'table') screen.draw(toStatsView(history, process.stdout.columns))
          else rows([toStatsRow(sample)])
        }
      } finally {
        screen.end()
      }
      // Each look was written as its own line already.
      return undefined
    },
  }),
}
