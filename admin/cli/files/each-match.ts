import { baseName } from '../../../src/filesystem/path.ts'
import { CliError } from '../command/failure.ts'
import { forEachPath, type PathFailures } from './each-path.ts'
import { listPages } from './files.ts'
import type { GatewayCalls } from './gateway.ts'
import { isGlob, type PathPattern, parsePathGlob } from './glob.ts'
import { childOf, toOnePath } from './remote-path.ts'
import { findRemote } from './webhdfs.ts'

/**
 * Does the same for each path, and for all that match one that is a pattern, as {@link forEachPath}. A path that is there
 * is no pattern, whatever is in its name: what `fs find` gave is always itself.
 */
export const forEachMatch = (
  gateway: GatewayCalls,
  words: readonly string[],
  failed: PathFailures,
  work: (path: string) => Promise<void>,
): Promise<void> =>
  forEachPath(words, failed, async word => {
    if (!isGlob(word) || (await findRemote(gateway, word)) !== undefined) return work(word)
    let count = 0
    for await (const path of findMatches(gateway, word)) {
      count++
      await work(path).catch((error: unknown) => failed.add(path, error))
    }
    if (count === 0) throw new CliError(`Nothing matches ${word}`, { code: 'not-found' })
  })

/** The paths that match, each once, in the order of names. Holds a page of each level that has a pattern. */
async function* findMatches(gateway: GatewayCalls, word: string): AsyncGenerator<string, void, undefined> {
  const patterns = parsePathGlob(word)
  for (const [i, pattern] of patterns.entries())
    for await (const path of matchesBelow(gateway, '/', pattern))
      if (!patterns.slice(0, i).some(earlier => matchesPath(earlier, path))) yield path
}

async function* matchesBelow(
  gateway: GatewayCalls,
  directory: string,
  pattern: PathPattern,
): AsyncGenerator<string, void, undefined> {
  const at = pattern.findIndex(name => typeof name !== 'string')
  const plain = pattern.slice(0, at < 0 ? undefined : at).map(String)
  const path = toOnePath(plain.reduce(childOf, directory))
  const [test, rest] = [pattern[at], pattern.slice(at + 1)]
  const status = await findRemote(gateway, path)
  if (typeof test !== 'function') {
    if (status) yield path
    return
  }
  if (!status?.isDir) return
  for await (const page of listPages(gateway, path))
    for (const entry of page) {
      if (!test(baseName(entry.path))) continue
      if (rest.length === 0) yield entry.path
      else if (entry.isDir) yield* matchesBelow(gateway, entry.path, rest)
    }
}

const matchesPath = (pattern: PathPattern, path: string): boolean => {
  const names = path.split('/').slice(1)
  return (
    names.length === pattern.length &&
    pattern.every((one, i) => (typeof one === 'string' ? one === names[i] : one(names[i] ?? '')))
  )
}
