import { FormatError, SluiceError } from '../../src/errors.ts'
import { readCorpus } from './corpus.ts'
import { mutate } from './mutate.ts'
import { createRandom } from './random.ts'
import type { FuzzTarget } from './target.ts'

/** An input that a target did not take as it must. */
export type Finding = {
  readonly target: string
  readonly seed: number
  readonly input: Uint8Array
  readonly error: unknown
}

export type CampaignOptions = {
  readonly seed: number
  readonly cases: number
  /** What to start from. @default the target's inputs and files */
  readonly corpus?: readonly Uint8Array[]
  /** Called before each case. Returns whether to go on. */
  readonly before?: (input: Uint8Array, index: number) => boolean
  /** A case that takes longer, twice, is a finding. @default no case is too slow */
  readonly slowMs?: number
}

const turnEvery = 256

/** Runs what it starts from as it is, whatever `cases` says, then mutations of it, until a finding. */
export const runCampaign = async (target: FuzzTarget, options: CampaignOptions): Promise<Finding | undefined> => {
  const { seed, cases, corpus = readCorpus(target), before = () => true, slowMs = Number.POSITIVE_INFINITY } = options
  const dictionary = (target.dictionary ?? []).map(word => new Uint8Array(Buffer.from(word)))
  const random = createRandom(seed)
  try {
    for (let index = 0; index < cases || index < corpus.length; index += 1) {
      const input = corpus[index] ?? mutate(corpus, dictionary, random)
      if (!before(input, index)) break
      // What native code has behind garbage is let go of between turns of the event loop only.
      if (index % turnEvery === 0) await new Promise(resolve => setImmediate(resolve))
      const start = performance.now()
      let error = await runCase(target, input)
      if (error === undefined && performance.now() - start > slowMs) error = await runSlowCase(target, input, slowMs)
      if (error !== undefined) return { target: target.name, seed, input, error }
    }
    return undefined
  } finally {
    await target.close?.()
  }
}

/** What is wrong with a case: undefined where the target returned, or threw an error that it may throw. */
export const runCase = async (target: FuzzTarget, input: Uint8Array): Promise<unknown> => {
  try {
    // Nearly all targets are synchronous, and awaiting them all the same would cost more than they do.
    const pending = target.run(input)
    if (pending !== undefined) await pending
    return undefined
  } catch (error) {
    if (error instanceof FormatError || error instanceof SluiceError) return undefined
    return error ?? new Error(`${target.name} threw ${String(error)}`)
  }
}

/** Once more: the first time the machine may have been busy with something else. */
const runSlowCase = async (target: FuzzTarget, input: Uint8Array, slowMs: number): Promise<unknown> => {
  const start = performance.now()
  const error = await runCase(target, input)
  const took = Math.round(performance.now() - start)
  return error ?? (took > slowMs ? new Error(`The case took ${took} ms; ${slowMs} ms are allowed`) : undefined)
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
