/** Runs what takes longer than a test run may, one after another, and notes in RELIABILITY.md how each went. */
import { spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runTool } from '../suites/run-tool.ts'
import { type Result, toTable } from './report.ts'
import { type Step, steps } from './steps.ts'

const usage = `The long runs, one after another: hours. What each one gave is noted in RELIABILITY.md, with its date.

    npm run nightly                                  all of them
    npm run nightly -- --only oracle --only model    some of them
    npm run nightly -- --list                        what there is

A run that fails ends this one with 1, after the ones behind it. The whole output of each is kept in a file.
`

const root = join(import.meta.dirname, '../..')
const page = join(root, 'RELIABILITY.md')

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true, default: [] }, list: { type: 'boolean', default: false } },
  })
  if (values.list) {
    for (const { name, shows } of steps) process.stdout.write(`${name.padEnd(20)}${shows}\n`)
    return
  }
  const chosen = choose(values.only)
  const directory = mkdtempSync(join(tmpdir(), 'sluice-nightly-'))
  for (const [index, step] of chosen.entries()) {
    const missing = await step.missing?.()
    if (missing !== undefined) {
      process.stdout.write(`${index + 1} of ${chosen.length}: ${step.shows} ... skipped: ${missing}\n`)
      continue
    }
    const output = join(directory, `${step.name}.log`)
    process.stdout.write(`${index + 1} of ${chosen.length}: ${step.shows} (${output}) ... `)
    const result = await run(step, output)
    process.stdout.write(`${result.passed ? 'passed' : 'FAILED'}, ${Math.round(result.seconds)} s: ${result.verdict}\n`)
    if (!result.passed) process.exitCode = 1
    // After each: a night that ends early has its results.
    writeFileSync(page, toTable(readFileSync(page, 'utf8'), [result]))
  }
}

const choose = (names: readonly string[]): readonly Step[] => {
  for (const name of names) {
    if (steps.some(step => step.name === name)) continue
    throw new RangeError(`There is no "${name}"; there are ${steps.map(step => step.name).join(', ')}`)
  }
  return names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name))
}

const run = async (step: Step, output: string): Promise<Result> => {
  const [command = '', ...words] = step.command
  const started = performance.now()
  const path = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`
  const child = spawn(command, words, { env: { ...process.env, PATH: path, NO_COLOR: '1', ...step.env } })
  const file = createWriteStream(output)
  let text = ''
  const keep = (chunk: Buffer): void => {
    file.write(chunk)
    // A verdict is at the end.
    text = (text + chunk.toString()).slice(-100_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  file.end()
  const verdict = text.match(step.verdict)?.at(-1)?.replaceAll('|', ' ').replace(/\s+/g, ' ').trim()
  return {
    name: step.name,
    shows: step.shows,
    passed: code === 0,
    verdict: verdict ?? `no verdict, exit code ${code}`,
    seconds: (performance.now() - started) / 1_000,
    date: new Date().toISOString().slice(0, 10),
  }
}

// Only an exit of its own lets the child's process group end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

await runTool(usage, main)
