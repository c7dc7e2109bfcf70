import { readdirSync } from 'node:fs'
import type { Random } from './random.ts'

/**
 * Something that takes bytes or text from outside, to be fuzzed. A new one is a module in `targets/` that exports
 * these; nothing else lists it.
 */
export type FuzzTarget = {
  /** As given to `npm run fuzz -- --target NAME`, and the name of its folder in `corpus/`. */
  readonly name: string
  /** Words and byte sequences that mean something to it: mutations put them in. @default none */
  readonly dictionary?: readonly (string | Uint8Array)[]
  /** Well-formed inputs that are made and not kept as files, small and various. @default none */
  corpus?(): Uint8Array[]
  /**
   * Makes an input by the rules of its form, where mutations would hardly find them. @default all are from the corpus
   */
  generate?(random: Random): Uint8Array
  /**
   * Parses the bytes, and may check the result. Returns, or throws a FormatError or SluiceError; whatever else it
   * throws is a finding, and so is a call that does not end or takes memory without bounds.
   */
  run(bytes: Uint8Array): void | Promise<void>
  /** Lets go of what the calls of `run` have opened. */
  close?(): Promise<void>
}

const folder = new URL('./targets/', import.meta.url)

/** All targets by name, or those that are named. @throws RangeError a name that no target has; Error a file without a target */
export const loadTargets = async (...names: readonly string[]): Promise<FuzzTarget[]> => {
  const files = readdirSync(folder).filter(file => file.endsWith('.ts'))
  const targets = (await Promise.all(files.map(loadTarget))).sort((a, b) => (a.name < b.name ? -1 : 1))
  const known = targets.map(target => target.name)
  const unknown = names.find(name => !known.includes(name))
  if (unknown !== undefined) throw new RangeError(`No fuzz target "${unknown}"; there are ${known.join(', ')}`)
  return names.length === 0 ? targets : targets.filter(({ name }) => names.includes(name))
}

const loadTarget = async (file: string): Promise<FuzzTarget> => {
  const module: unknown = await import(new URL(file, folder).href)
  if (isTarget(module)) return module
  throw new Error(`test/fuzz/targets/${file} does not export "name" and "run"`)
}

const isTarget = (module: unknown): module is FuzzTarget => {
  const { name, run } = module as Partial<Record<keyof FuzzTarget, unknown>>
  return typeof name === 'string' && typeof run === 'function'
}
