import { curlSoftware } from '../curl.ts'
import { hdfsSoftware } from '../hdfs.ts'
import { kafkaSoftware } from '../replicated/kafka-brokers.ts'
import { Skipped } from '../trial.ts'
import { flume } from './flume.ts'
import { httpfs } from './httpfs.ts'
import { createNginx } from './nginx.ts'
import type { Other } from './other.ts'

/** All that takes the events that Sluice does, by the name that a side has. */
export const others = {
  nginx: createNginx(''),
  'nginx-buffered': createNginx('buffer=64k flush=1s'),
  flume,
} as const satisfies Readonly<Record<string, Other>>

export type OtherName = keyof typeof others

/** All software of others that takes part somewhere. */
const software = { ...others, httpfs, hdfs: hdfsSoftware, kafka: kafkaSoftware, curl: curlSoftware } as const

export type SoftwareName = keyof typeof software

/** Each with its version, for the page; those that this machine lacks are left out. */
export const describeOthers = async (names: readonly SoftwareName[]): Promise<readonly string[]> => {
  const found = await Promise.all(
    [...new Set(names)].map(name =>
      software[name].describe().catch((error: unknown) => {
        if (error instanceof Skipped) return undefined
        throw error
      }),
    ),
  )
  return [...new Set(found)].filter(text => text !== undefined)
}
