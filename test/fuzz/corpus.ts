import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FuzzTarget } from './target.ts'

/**
 * What is kept as files, in `corpus/<target>/`: well-formed inputs under telling names (`.txt` where they are text), and
 * each input that ever failed, as `found-<hash>.bin`. All of them are run as they are, and mutated.
 */
const root = new URL('./corpus/', import.meta.url)

/** The inputs that a campaign starts from: those of the target, then the files in the order of their names. */
export const readCorpus = (target: FuzzTarget): Uint8Array[] => {
  const { name } = target
  const folder = new URL(`${name}/`, root)
  const files = existsSync(folder) ? readdirSync(folder).sort() : []
  const saved = files.map(file => readFileSync(new URL(file, folder)))
  // Copies: a Buffer's slice is a view, and mutations would change it.
  const inputs = [...(target.corpus?.() ?? []), ...saved].map(bytes => new Uint8Array(bytes))
  if (inputs.length === 0) throw new Error(`Target "${name}" has no inputs: expected some in test/fuzz/corpus/${name}/`)
  return inputs
}

/** Keeps an input that failed, under a name of its own. @returns where */
export const saveFound = (name: string, input: Uint8Array): string => {
  const folder = new URL(`${name}/`, root)
  const hash = createHash('sha256').update(input).digest('hex').slice(0, 12)
  mkdirSync(folder, { recursive: true })
  const file = fileURLToPath(new URL(`found-${hash}.bin`, folder))
  writeFileSync(file, input)
  return file
}

/** The folders of `corpus/`: each belongs to a target. */
export const listCorpora = (): string[] => (existsSync(root) ? readdirSync(root).sort() : [])
