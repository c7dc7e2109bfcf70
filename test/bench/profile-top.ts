/** Where a process spent its time, from the `.cpuprofile` files that `--cpu-prof` writes (one for each thread). */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The part of a profile that counts here; times in µs. */
export type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  /** Ids of nodes, and how long before each sample the one before it was taken. */
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Percent of the time that was not idle, in the function itself. */
export type SelfTime = { readonly percent: number; readonly name: string }

/**
 * The functions with the most self time over all profiles, the largest first. The first half of each profile is left
 * out: there a process starts and its code is not yet compiled.
 */
export const toTopSelf = (profiles: readonly CpuProfile[], count: number): readonly SelfTime[] => {
  const times = new Map<string, number>()
  let total = 0
  for (const { nodes, samples, timeDeltas } of profiles) {
    const names = new Map(nodes.map(({ id, callFrame }) => [id, toName(callFrame)]))
    const half = timeDeltas.reduce((sum, delta) => sum + delta, 0) / 2
    let elapsed = 0
    for (const [i, id] of samples.entries()) {
      const name = names.get(id) ?? '(unknown)'
      const time = timeDeltas[i] ?? 0
      elapsed += time
      if (name === '(idle)' || elapsed < half) continue
      times.set(name, (times.get(name) ?? 0) + time)
      total += time
    }
  }
  return [...times]
    .map(([name, time]) => ({ percent: (100 * time) / Math.max(1, total), name }))
    .sort((a, b) => b.percent - a.percent)
    .slice(0, count)
}

/** Those of all main threads of a directory: `CPU.<day>.<time>.<pid>.<thread>.<number>.cpuprofile`. */
export const readProfiles = (directory: string): readonly CpuProfile[] =>
  globSync('**/CPU.*.*.*.0.*.cpuprofile', { cwd: directory }).map(name =>
    JSON.parse(readFileSync(join(directory, name), 'utf8')),
  )

/** For a note: `12.3 % (program), 4.5 % parseJson src/formats/json.ts:12, …`. */
export const toTopText = (top: readonly SelfTime[]): string =>
  top.map(({ percent, name }) => `${percent.toFixed(1)} % ${name}`).join(', ')

const root = pathToFileURL(join(import.meta.dirname, '../../')).href

/** The place of a function, as in the sources: lines count from 1 there, from 0 in a profile. */
const toName = ({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string => {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name} ${url.replace(root, '')}:${lineNumber + 1}`
}
