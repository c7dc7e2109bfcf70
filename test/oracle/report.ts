import { availableParallelism, cpus, totalmem } from 'node:os'
import type { SeedResult } from './run-seed.ts'
import { describeFault, faultNames, kerberosFaultNames } from './schedule.ts'
import { addCounts, describeWays, noCounts, type StageCounts } from './stage-counts.ts'

/** The run as Markdown, to be kept. */
export const toReport = (
  results: readonly SeedResult[],
  { command, seconds }: { readonly command: string; readonly seconds: number },
): string => {
  const failed = results.filter(({ problems }) => problems.length > 0)
  const sum = (pick: (result: SeedResult) => number): string =>
    results.reduce((total, result) => total + pick(result), 0).toLocaleString('en')
  const calms = results.map(({ calmSeconds }) => calmSeconds).sort((a, b) => a - b)
  const middle = calms[calms.length >> 1] ?? 0
  const rows: readonly (readonly [string, string])[] = [
    ['Date', new Date().toISOString().slice(0, 10)],
    ['Command', `\`${command}\``],
    ['Machine', toMachine()],
    ['Seeds', `${results.length}, in ${Math.round(seconds / 60)} minutes`],
    [
      'Events',
      `${sum(({ issued }) => issued)} sent, ${sum(({ acknowledged }) => acknowledged)} acknowledged, ${sum(({ found }) => found)} in files`,
    ],
    [
      'Files through the gateway',
      `${sum(({ stored }) => stored)} stored, ${sum(({ rowsRead }) => rowsRead)} rows read back`,
    ],
    [
      'On the way',
      describeWays(
        results[0]?.protocol ?? 'native',
        results.reduce<StageCounts>((all, one) => addCounts(all, one), noCounts),
      ),
    ],
    ['Until all held again', `${middle.toFixed(1)} s in the middle, ${(calms.at(-1) ?? 0).toFixed(1)} s at most`],
    [
      'Result',
      failed.length === 0
        ? 'every acknowledged event once, none unknown, all as sent'
        : `${failed.length} seeds failed`,
    ],
  ]
  const seen = new Set(results.flatMap(({ faults }) => faults.map(({ name }) => name)))
  const names = [...faultNames, ...kerberosFaultNames.filter(name => seen.has(name))]
  const kinds = names.map(name => {
    const all = results.flatMap(({ faults }) => faults.filter(fault => fault.name === name))
    const withIt = results.filter(({ faults }) => faults.some(fault => fault.name === name))
    const bad = withIt.filter(({ problems }) => problems.length > 0)
    return `| ${name} | ${all.length} | ${withIt.length} | ${bad.length} |`
  })
  return [
    '| | |',
    '|---|---|',
    ...rows.map(([what, text]) => `| ${what} | ${text} |`),
    '',
    '| Fault | Times | Seeds | of them failed |',
    '|---|---|---|---|',
    ...kinds,
    '',
    ...failed.flatMap(({ seed, faults, problems }) => [
      `- Seed ${seed} (${faults.map(describeFault).join(', ')}): ${problems.slice(0, maxShown).join('; ')}`,
    ]),
    '',
  ].join('\n')
}

/** Problems of a seed that the report repeats. */
const maxShown = 5

const toMachine = (): string => {
  const model = cpus()[0]?.model.trim() || process.arch
  return `${model}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
}
