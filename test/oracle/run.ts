import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { runTool } from '../suites/run-tool.ts'
import { type OracleOptions, runOracle } from './oracle.ts'
import { toReport } from './report.ts'
import type { SeedResult } from './run-seed.ts'
import { formats } from './schedule.ts'
import { brokerKinds, protocols } from './stage.ts'

/** What start, calm and verdict of a seed take beside its load, about. */
const besidesLoadMs = 10_000
/** Shorter loads leave no room for the faults. */
const shortestLoadMs = 8_000

const usage = `The whole server through faults that a seed decides, then calm: is every acknowledged event in the file system once?

    npm run oracle -- [--seeds 20] [--minutes 8] [--seed S] [--broker amqp|kafka] [--kerberos] [--protocol P] [--format F]
                      [--report FILE]

The same seed meets the same faults. A seed that fails ends the run with 1, after the ones behind it.

    npm run oracle -- --seeds 1 --seed 2044     one seed again
    npm run oracle -- --format native           files of one format; else each seed draws one of ${formats.join(', ')}
    npm run oracle -- --protocol auto           HDFS is spoken to as by default; else by its own protocol alone. Or webhdfs
    npm run oracle -- --protocol s3             an object store in place of HDFS
    npm run oracle -- --kerberos                HDFS with Kerberos: tickets and tokens of seconds, and what can go wrong with them
`

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '20' },
      minutes: { type: 'string', default: '8' },
      seed: { type: 'string', default: String(1 + (Date.now() % 1_000_000)) },
      broker: { type: 'string', default: 'amqp' },
      kerberos: { type: 'boolean', default: false },
      protocol: { type: 'string', default: 'native' },
      format: { type: 'string' },
      report: { type: 'string' },
    },
  })
  const seeds = toNumber('seeds', values.seeds)
  const minutes = toNumber('minutes', values.minutes)
  const firstSeed = toNumber('seed', values.seed)
  const broker = Object.keys(brokerKinds).find((name): name is keyof typeof brokerKinds => name === values.broker)
  if (broker === undefined) throw new RangeError(`--broker is ${values.broker}; expected amqp or kafka`)
  const format = formats.find(name => name === values.format)
  if (format !== values.format) throw new RangeError(`--format is ${values.format}; expected ${formats.join(', ')}`)
  const protocol = protocols.find(name => name === values.protocol)
  if (protocol === undefined) throw new RangeError(`--protocol is ${values.protocol}; expected ${protocols.join(', ')}`)
  const loadMs = Math.max(shortestLoadMs, (minutes * 60_000) / seeds - besidesLoadMs)
  const start = performance.now()
  const results: SeedResult[] = []
  const options: OracleOptions = {
    firstSeed,
    seeds,
    loadMs,
    broker,
    kerberos: values.kerberos,
    protocol,
    format,
    log: line => process.stdout.write(`${line}\n`),
    onResult: result => {
      results.push(result)
      const failed = results.filter(({ problems }) => problems.length > 0).length
      const left = ((performance.now() - start) / results.length) * (seeds - results.length)
      if (process.stderr.isTTY) {
        process.stderr.write(
          `${results.length} of ${seeds} seeds, ${failed} failed, ${Math.ceil(left / 60_000)} min left\n`,
        )
      }
    },
  }
  await runOracle(options)
  const command = `npm run oracle -- --seeds ${seeds} --minutes ${minutes} --seed ${firstSeed} --broker ${broker}${values.kerberos ? ' --kerberos' : ''}${protocol === 'native' ? '' : ` --protocol ${protocol}`}${format ? ` --format ${format}` : ''}`
  const report = toReport(results, { command, seconds: (performance.now() - start) / 1_000 })
  process.stdout.write(`\n${report}`)
  if (values.report !== undefined) await writeFile(values.report, report)
  if (results.some(({ problems }) => problems.length > 0)) process.exitCode = 1
}

const toNumber = (name: string, text: string): number => {
  const number = Number(text)
  if (Number.isFinite(number) && number > 0) return number
  throw new RangeError(`--${name} is ${JSON.stringify(text)}; expected a number above 0`)
}

// Only an exit of its own lets a process clear up.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

await runTool(usage, main)
