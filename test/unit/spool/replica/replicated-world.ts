import { expect } from 'vitest'
import type { Disk } from '../../../../src/disk/disk.ts'
import { writeSynced } from '../../../../src/disk/write-synced.ts'
import { appendsOf, directoriesOf } from '../../../../src/filesystem/facets.ts'
import { toRemoteName } from '../../../../src/spool/replica/remote-names.ts'
import { createReplica, type Replica } from '../../../../src/spool/replica/replica.ts'
import type { ReplicatedSettings } from '../../../../src/spool/replica/replicated-settings.ts'
import { createMemoryHdfs, type MemoryHdfs, type MemoryHdfsOptions } from '../../../suites/memory-hdfs.ts'
import { silent, startMs } from '../../../suites/spool.ts'
import { createTearingDisk, type TearingDisk } from '../../../suites/tearing-disk.ts'

export const collectorId = 'a'.repeat(32)
export const directory = `/events/_log/${collectorId}`
export const segment = 'log/0000000001.log'
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const usual: ReplicatedSettings = {
  sync: 'hsync',
  replication: 3,
  min: 2,
  gatherMs: 20,
  takeoverMs: 20_000,
  whenUnavailable: 'refuse',
}

export type World = {
  readonly hdfs: MemoryHdfs
  readonly local: TearingDisk
  readonly replica: Replica
  readonly disk: Disk
  readonly fenced: () => number
  readonly there: (path: string) => Promise<string | undefined>
}

export const createWorld = (
  options: MemoryHdfsOptions & {
    readonly settings?: Partial<ReplicatedSettings>
    readonly hdfs?: MemoryHdfs
    readonly local?: TearingDisk
  } = {},
): World => {
  const hdfs = options.hdfs ?? createMemoryHdfs(options)
  const local = options.local ?? createTearingDisk()
  let fenced = 0
  const replica = createReplica({
    fileSystem: hdfs,
    outputDirectory: '/events',
    settings: () => ({ ...usual, ...options.settings }),
    log: silent,
    now: () => startMs,
    onFenced: () => fenced++,
  })
  const there = async (path: string): Promise<string | undefined> => {
    const bytes = await hdfs.contents(`${directory}/${toRemoteName(path)}`)
    return bytes && new TextDecoder().decode(bytes)
  }
  return { hdfs, local, replica, disk: replica.replicate(local), fenced: () => fenced, there }
}

/** The copy as the next process finds it. */
export const restart = ({ hdfs, local }: World): Replica => {
  const replica = createReplica({
    fileSystem: hdfs,
    outputDirectory: '/events',
    settings: () => usual,
    log: silent,
    now: () => startMs,
    onFenced: () => {},
  })
  replica.replicate(local)
  return replica
}

/** A spool as a recovery leaves it. */
export const prepare = async ({ disk }: Pick<World, 'disk'>): Promise<void> => {
  await disk.mkdir('log')
  await disk.mkdir('keys')
  await writeSynced(disk, 'id', bytesOf('id'))
  await writeSynced(disk, 'ledger', bytesOf('ledger'))
}

export const attached = async (options: Parameters<typeof createWorld>[0] = {}): Promise<World> => {
  const world = createWorld(options)
  await prepare(world)
  await world.replica.begin(collectorId)
  await world.replica.attach()
  expect(world.replica.state.name).toBe('in-step')
  return world
}

export const createFault = () => {
  let due: { readonly operation: string; readonly when: 'before' | 'after'; left: number } | undefined
  return {
    set: (operation: string, when: 'before' | 'after', left = 1) => {
      due = { operation, when, left }
    },
    end: () => {
      due = undefined
    },
    fail: (operation: string) => {
      if (due === undefined || due.left === 0 || (due.operation !== '*' && due.operation !== operation))
        return undefined
      due.left--
      return due.when
    },
  }
}

/** An HDFS whose calls of some paths wait until they are let go. */
export const createHolds = (hdfs: MemoryHdfs) => {
  let held: RegExp | undefined
  let isOne = false
  let arrived = Promise.withResolvers<void>()
  let gone = Promise.withResolvers<void>()
  const hold = async (operation: string, path: string): Promise<void> => {
    if (!held?.test(`${operation} ${path}`)) return
    if (isOne) held = undefined
    arrived.resolve()
    await gone.promise
  }
  const holding: MemoryHdfs = {
    ...hdfs,
    directories: {
      ...directoriesOf(hdfs),
      rename: async (...args) => {
        await hold('rename', args[0])
        await directoriesOf(hdfs).rename(...args)
      },
    },
    appends: {
      ...appendsOf(hdfs),
      create: async (...args) => {
        await hold('create', args[0])
        return await appendsOf(hdfs).create(...args)
      },
    },
  }
  return {
    hdfs: holding,
    /** The first call that matches `<operation> <path>` waits, or all that do. Resolves when one does. */
    hold: (matching: RegExp, which: 'first' | 'all' = 'first'): Promise<void> => {
      held = matching
      isOne = which === 'first'
      arrived = Promise.withResolvers()
      gone = Promise.withResolvers()
      return arrived.promise
    },
    letGo: () => {
      held = undefined
      gone.resolve()
    },
  }
}
