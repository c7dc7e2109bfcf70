import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { runTool } from '../suites/run-tool.ts'
import { runCase } from './campaign.ts'
import { saveFound } from './corpus.ts'
import { writeReportRow } from './report.ts'
import { type FuzzTarget, loadTargets } from './target.ts'
import { runInThread } from './thread.ts'

const toUsage = (
  names: readonly string[],
): string => `Mutated inputs for everything that reads bytes or text from outside.

    npm run fuzz -- [--target NAME]… [--cases 100000] [--seconds N] [--seed N] [--report FILE]
    npm run fuzz -- --target NAME --replay FILE     one input again

Ends with 1 when anything was found; what was found is kept in test/fuzz/corpus/. The targets:

    ${names.join('\n    ')}
`

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true, default: [] },
      cases: { type: 'string', default: '100000' },
      seconds: { type: 'string', default: 'Infinity' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
      report: { type: 'string' },
      replay: { type: 'string' },
    },
  })
  for (const target of await loadTargets(...values.target)) {
    const isGood =
      values.replay === undefined
        ? await fuzz(target, {
            cases: toNumber(values.cases, '--cases'),
            seconds: toNumber(values.seconds, '--seconds'),
            seed: toNumber(values.seed, '--seed'),
            report: values.report,
          })
        : await replay(target, values.replay)
    if (!isGood) process.exitCode = 1
  }
}

type Run = {
  readonly cases: number
  readonly seconds: number
  readonly seed: number
  readonly report: string | undefined
}

const fuzz = async ({ name }: FuzzTarget, { report, ...limits }: Run): Promise<boolean> => {
  const { seed } = limits
  const start = performance.now()
  const toSeconds = (): number => (performance.now() - start) / 1000
  const toText = (done: number): string => `${done} cases, ${Math.round(done / toSeconds())} cases/s, seed ${seed}`
  const { done, fault } = await runInThread({ name, ...limits }, count => {
    process.stdout.write(`${name}: ${toText(count)}\n`)
  })
  if (report !== undefined) {
    writeReportRow(report, { target: name, cases: done, seed, seconds: toSeconds(), findings: fault ? 1 : 0 })
  }
  if (!fault) {
    process.stdout.write(`${name}: no finding in ${toText(done)}\n`)
    return true
  }
  const file = relative(process.cwd(), saveFound(name, fault.input))
  process.stdout.write(`${name}: FINDING after ${toText(done)}\n${fault.message}\n`)
  process.stdout.write(`Again: npm run fuzz -- --target ${name} --replay ${file}\n`)
  return false
}

/** Runs one input in this thread; a hang shows as a hang. */
const replay = async (target: FuzzTarget, file: string): Promise<boolean> => {
  const error = await runCase(target, new Uint8Array(readFileSync(file)))
  await target.close?.()
  process.stdout.write(`${target.name}: ${error instanceof Error ? error.stack : 'no finding'}\n`)
  return error === undefined
}

const toNumber = (text: string, option: string): number => {
  const value = Number(text)
  if (!(value >= 0)) throw new RangeError(`${option} ${text}: expected a number`)
  return value
}

await runTool(toUsage((await loadTargets()).map(({ name }) => name)), main)
