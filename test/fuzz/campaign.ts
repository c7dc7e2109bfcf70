import { FormatError, SluiceError } from '../../src/errors.ts'
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
  /** Called before each case. Returns whether to go on. */
  readonly before?: (input: Uint8Array, index: number) => boolean
}

/** Runs the corpus as it is, then mutations of it, until a finding. */
export const runCampaign = async (target: FuzzTarget, options: CampaignOptions): Promise<Finding | undefined> => {
  const { seed, cases, before = () => true } = options
  // Copies: a Buffer's slice is a view, and mutations would change it.
  const corpus = target.corpus().map(bytes => new Uint8Array(bytes))
  const random = createRandom(seed)
  for (let index = 0; index < cases; index += 1) {
    const input = corpus[index] ?? mutate(corpus, random)
    if (!before(input, index)) return undefined
    const error = await runCase(target, input)
    if (error !== undefined) return { target: target.name, seed, input, error }
  }
  return undefined
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

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
