import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { runCase, toHex } from './campaign.ts'
import { maxInputBytes } from './mutate.ts'
import { type FuzzTarget, loadTargets } from './target.ts'

/**
 * The long run: `npm run fuzz -- [--target NAME] [--cases N] [--seed N]`, or `--target NAME --input FILE` for one saved
 * input. Each target runs in a thread of its own, so that a hang and an exhausted heap are findings, too.
 */

export type WorkerTask = {
  readonly name: string
  readonly seed: number
  readonly cases: number
  /** The case's number and length as 32-bit integers, then its bytes. */
  readonly shared: SharedArrayBuffer
}
export type WorkerAnswer = { readonly hex: string; readonly message: string } | undefined

const hangMs = 20_000
const progressMs = 2_000
const maxHeapMb = 1_024

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      cases: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
      input: { type: 'string' },
    },
  })
  for (const target of await loadTargets(values.target)) {
    const isGood =
      values.input === undefined
        ? await fuzz(target, Number(values.cases), Number(values.seed))
        : await repeat(target, values.input)
    if (!isGood) process.exitCode = 1
  }
}

const fuzz = async ({ name }: FuzzTarget, cases: number, seed: number): Promise<boolean> => {
  const shared = new SharedArrayBuffer(8 + maxInputBytes)
  const state = new Int32Array(shared, 0, 2)
  const workerData: WorkerTask = { name, seed, cases, shared }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  })
  const start = performance.now()
  const outcome = await watch(worker, state, done => {
    const rate = Math.round(done / ((performance.now() - start) / 1000))
    process.stdout.write(`${name}: ${done} of ${cases} cases, ${rate} cases/s, seed ${seed}\n`)
  })
  await worker.terminate()
  const done = Atomics.load(state, 0) + 1
  const rate = Math.round(done / ((performance.now() - start) / 1000))
  if (outcome === undefined) {
    process.stdout.write(`${name}: ${done} cases without a finding, ${rate} cases/s, seed ${seed}\n`)
    return true
  }
  const hex = outcome.hex ?? toHex(new Uint8Array(shared, 8, Atomics.load(state, 1)))
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-fuzz-')), `${name}.hex`)
  writeFileSync(file, hex)
  process.stdout.write(`${name}: FINDING in case ${done}, seed ${seed}, saved as ${file}\n${outcome.message}\n`)
  return false
}

type Outcome = { readonly hex?: string; readonly message: string } | undefined

/** Waits for the answer of the worker, its death, or a case that does not end. */
const watch = (worker: Worker, state: Int32Array, onProgress: (done: number) => void): Promise<Outcome> =>
  new Promise(resolve => {
    let last = -1
    let since = performance.now()
    const timer = setInterval(() => {
      const done = Atomics.load(state, 0)
      if (done !== last) {
        since = performance.now()
        onProgress(done)
      } else if (performance.now() - since > hangMs) settle({ message: `The case took more than ${hangMs} ms` })
      last = done
    }, progressMs)
    const settle = (outcome: Outcome): void => {
      clearInterval(timer)
      resolve(outcome)
    }
    worker.on('message', (message: { readonly answer: WorkerAnswer }) => settle(message.answer))
    worker.on('error', (error: unknown) =>
      settle({ message: error instanceof Error ? (error.stack ?? '') : String(error) }),
    )
    worker.on('exit', code => settle({ message: `The thread ended with ${code}` }))
  })

/** Runs one saved input; a hang shows as a hang. */
const repeat = async (target: FuzzTarget, file: string): Promise<boolean> => {
  const error = await runCase(target, new Uint8Array(Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')))
  process.stdout.write(`${target.name}: ${error instanceof Error ? error.stack : 'no finding'}\n`)
  return error === undefined
}

await main()
