import { parentPort, workerData } from 'node:worker_threads'
import { runCampaign, runCase } from './campaign.ts'
import { loadTargets } from './target.ts'
import { inputStart, type ThreadAnswer, type ThreadTask } from './thread.ts'

/** Runs one target, and leaves each input where the main thread finds it when this thread hangs or dies. */
const { name, seed, cases, seconds, shared } = workerData as ThreadTask
const [target] = await loadTargets(name)
if (target === undefined) throw new Error(`No fuzz target "${name}"`)

/** The most that one input may take: a turn of the event loop, and memory. The main thread reports a hang. */
const most = { ms: 250, mb: 64 }

/** Refusals are the usual answer, and a stack would cost more than they do; a finding runs again with one. */
const usualStack = Error.stackTraceLimit
Error.stackTraceLimit = 0

const state = new Int32Array(shared, 0, 2)
const inputs = new Uint8Array(shared, inputStart)
const end = performance.now() + 1000 * seconds
let done = 0

const finding = await runCampaign(target, {
  seed,
  cases,
  most,
  before(input, index) {
    if (index % 64 === 0 && performance.now() > end) return false
    done = index + 1
    inputs.set(input)
    Atomics.store(state, 1, input.length)
    Atomics.store(state, 0, done)
    return true
  },
})
Error.stackTraceLimit = usualStack
const error = finding && ((await runCase(target, finding.input)) ?? finding.error)
await target.close?.()

const toMessage = (fault: unknown): string => (fault instanceof Error ? toText(fault) : String(fault))
const toText = ({ stack, message, cause }: Error): string =>
  `${stack ?? message}${cause === undefined ? '' : `\nCaused by ${toMessage(cause)}`}`
const answer: ThreadAnswer = { done, fault: finding && { input: finding.input, message: toMessage(error) } }
parentPort?.postMessage(answer)
