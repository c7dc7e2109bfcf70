import { readdirSync } from 'node:fs'

/**
 * A byte parser to be fuzzed. A new one is a module in `targets/` that exports these three; nothing else lists it.
 */
export type FuzzTarget = {
  /** As given to `npm run fuzz -- --target NAME`. */
  readonly name: string
  /** Well-formed inputs, small and various, that the mutations start from. */
  corpus(): Uint8Array[]
  /**
   * Parses the bytes, and may check what came out. Returns, or throws a FormatError or SluiceError; whatever else it
   * throws is a finding, and so is a call that does not end or takes memory without bounds.
   */
  run(bytes: Uint8Array): void | Promise<void>
}

const folder = new URL('./targets/', import.meta.url)

/** All targets, or the one that is named. @throws Error a name that no target has, or a file without a target */
export const loadTargets = async (name?: string): Promise<FuzzTarget[]> => {
  const files = readdirSync(folder).filter(file => file.endsWith('.ts'))
  const targets = await Promise.all(files.map(loadTarget))
  if (name === undefined) return targets
  const found = targets.filter(target => target.name === name)
  if (found.length > 0) return found
  throw new Error(`No fuzz target "${name}"; there are ${targets.map(target => target.name).join(', ')}`)
}

const loadTarget = async (file: string): Promise<FuzzTarget> => {
  const module: unknown = await import(new URL(file, folder).href)
  if (isTarget(module)) return module
  throw new Error(`test/fuzz/targets/${file} does not export "name", "corpus" and "run"`)
}

const isTarget = (module: unknown): module is FuzzTarget => {
  const { name, corpus, run } = module as Partial<Record<keyof FuzzTarget, unknown>>
  return typeof name === 'string' && typeof corpus === 'function' && typeof run === 'function'
}
