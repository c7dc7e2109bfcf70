import { parentPort, workerData } from 'node:worker_threads'
import { runCampaign, toHex } from './campaign.ts'
import type { WorkerAnswer, WorkerTask } from './run.ts'
import { loadTargets } from './target.ts'

/** Runs one target, and leaves each input where the main thread finds it when this thread hangs or dies. */
const { name, seed, cases, shared } = workerData as WorkerTask
const [target] = await loadTargets(name)
if (target === undefined) throw new Error(`No fuzz target "${name}"`)

const state = new Int32Array(shared, 0, 2)
const inputs = new Uint8Array(shared, state.byteLength)

const finding = await runCampaign(target, {
  seed,
  cases,
  before(input, index) {
    inputs.set(input)
    Atomics.store(state, 1, input.length)
    Atomics.store(state, 0, index)
    return true
  },
})
const answer: WorkerAnswer = finding && {
  hex: toHex(finding.input),
  message: finding.error instanceof Error ? (finding.error.stack ?? finding.error.message) : String(finding.error),
}
parentPort?.postMessage({ answer })
