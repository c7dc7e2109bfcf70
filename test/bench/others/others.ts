import { Skipped } from '../trial.ts'
import { flume } from './flume.ts'
import { createNginx } from './nginx.ts'
import type { Other } from './other.ts'

/** All that Sluice is measured beside, by the name that a side has. */
export const others = {
  nginx: createNginx(''),
  'nginx-buffered': createNginx('buffer=64k flush=1s'),
  flume,
} as const satisfies Readonly<Record<string, Other>>

export type OtherName = keyof typeof others

/** Each with its version, for the page; those that this machine lacks are left out. */
export const describeOthers = async (names: readonly OtherName[]): Promise<readonly string[]> => {
  const found = await Promise.all(
    names.map(name =>
      others[name].describe().catch(error => {
        if (error instanceof Skipped) return undefined
        throw error
      }),
    ),
  )
  return [...new Set(found)].filter(text => text !== undefined)
}
