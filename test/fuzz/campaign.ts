import { getHeapStatistics } from 'node:v8'
import { FormatError, SluiceError } from '../../src/errors.ts'
import { readCorpus } from './corpus.ts'
import { mutate } from './mutate.ts'
import { createRandom, type Random } from './random.ts'
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
  /** Called before each case. Returns whether to continue. */
  readonly before?: (input: Uint8Array, index: number) => boolean
  /** A case that takes more of either, twice, is a finding. @default no case takes too much */
  readonly most?: Usage
  /** @default of this thread and its heap */
  readonly measure?: () => Usage
}

/** What was used so far: CPU time, and memory of the heap and of buffers. */
export type Usage = { readonly ms: number; readonly mb: number }

/** Of this thread, so that others on the machine do not count. Memory that was let go of meanwhile does not show. */
export const measureUsage = (): Usage => {
  const { user, system } = process.threadCpuUsage()
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics()
  return { ms: (user + system) / 1_000, mb: (heap + external) / 2 ** 20 }
}

const turnEvery = 256

/** Runs what it starts from as it is, whatever `cases` says, then mutations of it and what the target makes, until a finding. */
export const runCampaign = async (target: FuzzTarget, options: CampaignOptions): Promise<Finding | undefined> => {
  const { seed, cases, corpus = readCorpus(target), before = () => true, most, measure = measureUsage } = options
  const dictionary = (target.dictionary ?? []).map(word => new Uint8Array(Buffer.from(word)))
  const random = createRandom(seed)
  try {
    for (let index = 0; index < cases || index < corpus.length; index += 1) {
      const input = corpus[index] ?? nextInput(target, corpus, dictionary, random)
      if (!before(input, index)) break
      // Native memory of garbage is released only between turns of the event loop.
      if (index % turnEvery === 0) await new Promise(resolve => setImmediate(resolve))
      let error: unknown
      for (let turn = 0; turn < 2; turn += 1) {
        const start = most && measure()
        error = await runCase(target, input)
        const excess = start && findExcess(start, measure(), most)
        if (error !== undefined || excess === undefined) break
        // Once more: the first time something else may have been in the way, the compiler for example.
        if (turn === 1) error = new Error(`The case took ${excess}`)
      }
      if (error !== undefined) return { target: target.name, seed, input, error }
    }
    return undefined
  } finally {
    await target.close?.()
  }
}

/** Where the target makes inputs: half of them as they are made, a quarter mutated. */
const nextInput = (
  target: FuzzTarget,
  corpus: readonly Uint8Array[],
  dictionary: readonly Uint8Array[],
  random: Random,
): Uint8Array => {
  const made = 'generate' in target && random.below(4) > 0 ? target.generate?.(random) : undefined
  if (made === undefined) return mutate(corpus, dictionary, random)
  return random.below(3) === 0 ? mutate([made], dictionary, random) : made
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

const findExcess = (start: Usage, end: Usage, most: Usage): string | undefined => {
  for (const unit of ['ms', 'mb'] as const) {
    const used = end[unit] - start[unit]
    if (used > most[unit]) return `${Math.round(used)} ${unit === 'ms' ? 'ms' : 'MB'}; ${most[unit]} are allowed`
  }
  return undefined
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
