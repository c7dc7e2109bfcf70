import { runSeed, type SeedResult } from './run-seed.ts'
import { describeFault, type Format } from './schedule.ts'
import { type BrokerName, type Protocol, startStage } from './stage.ts'
import { describeWays } from './stage-counts.ts'

export type OracleOptions = {
  readonly firstSeed: number
  readonly seeds: number
  /** The load of each seed; it continues for as long as the faults do. */
  readonly loadMs: number
  /** How long everything may take to hold again. @default 120 000 */
  readonly calmMs?: number
  readonly broker: BrokerName
  /** Whether callers of HDFS prove by Kerberos who they are, and that fails as well. @default false */
  readonly kerberos?: boolean
  /** How the server speaks to HDFS. @default native */
  readonly protocol?: Protocol | undefined
  /** Of all files, in place of the one that each seed draws. */
  readonly format?: Format | undefined
  /** Takes a line for people. */
  readonly log: (line: string) => void
  /** Takes each result as it comes. */
  readonly onResult?: (result: SeedResult) => void
}

const defaultCalmMs = 120_000

/** Runs seed after seed against one HDFS and one broker; damage of a seed is repaired before the next. */
export const runOracle = async (options: OracleOptions): Promise<readonly SeedResult[]> => {
  const { firstSeed, seeds, loadMs, calmMs = defaultCalmMs, broker, kerberos = false, protocol, format, log } = options
  const results: SeedResult[] = []
  const stage = await startStage({ broker, kerberos, protocol, log })
  try {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      const result = await runSeed(stage, seed, { loadMs, calmMs, format })
      results.push(result)
      options.onResult?.(result)
      log(toLine(result))
      if (result.problems.length > 0) log(toComplaint(result))
      await stage.mend()
    }
  } finally {
    await stage.close()
  }
  return results
}

/** A seed in one line. */
export const toLine = (result: SeedResult): string => {
  const { seed, output, threads, ack, faults, issued, acknowledged, found, tokens, refusals } = result
  const { problems, calmSeconds, slowest, seconds } = result
  const counts = `issued ${issued}, acknowledged ${acknowledged}, found ${found}`
  const times = `calm in ${calmSeconds.toFixed(1)} s (${slowest}) of ${seconds.toFixed(1)} s`
  const proofs = tokens === 0 ? '' : `${tokens} tokens, ${refusals} calls refused; `
  const verdict = problems.length === 0 ? 'ok' : `FAILED (${problems.length})`
  return `seed ${seed}: ${verdict}; ${output.format} ${output.compression} ${output.layout}${output.envelope ? '' : ' flat'}; ${threads} edge threads, ack ${ack}; ${faults.map(({ name }) => name).join(', ')}; ${describeWays(result.protocol, result)}; ${proofs}${counts}; ${times}`
}

/** All that is needed to look into a failure. */
export const toComplaint = ({ seed, faults, problems, kept }: SeedResult): string =>
  [
    `seed ${seed} failed; faults (begin + length): ${faults.map(describeFault).join(', ')}`,
    ...problems.slice(0, maxShown).map(problem => `  ${problem}`),
    ...(problems.length > maxShown ? [`  … and ${problems.length - maxShown} more`] : []),
    ...(kept === undefined ? [] : [`  data and log: ${kept}`]),
  ].join('\n')

const maxShown = 20
