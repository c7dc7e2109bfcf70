import { join } from 'node:path'
import type { Disk } from '../../disk/disk.ts'
import { createOutage, type Outage, type OutageOptions } from './outage.ts'

/** The stations of an event between its acknowledgement and the file system, and those that are only set aside. */
export const stageNames = ['log', 'sealing', 'commit', 'quarantine', 'taken'] as const
export type StageName = (typeof stageNames)[number]

/** Stages that fail and are retried. The others hold no events, but delay the stages that do. */
export const workNames = [
  'space',
  'log',
  'ledger',
  'sealing',
  'commit',
  'tables',
  'upkeep',
  'cleanup',
  'strays',
] as const
export type WorkName = (typeof workNames)[number]

/** A part of the spool's work that fails. */
export type Trouble = {
  readonly work: WorkName
  /** Why it failed last, with the code of the operating system where there is one. */
  readonly reason: string
  /** When it began to fail, ms since the epoch. */
  readonly since: number
}

/** The work of the spool, and what of it fails. */
export type Stages = Readonly<Record<Exclude<WorkName, 'commit'>, Outage>> & {
  /** The file system does not answer. */
  readonly away: Outage
  /** Commits fail for another reason. */
  readonly commit: Outage
  remind(): void
  readonly troubles: readonly Trouble[]
}

export type StagesOptions = Pick<OutageOptions, 'log' | 'now'> & {
  /** As of `FileSystem.url`. */
  readonly url: string
  /** What waits on the local disk. */
  readonly waiting: () => { readonly files: number; readonly events: number; readonly bytes: number }
}

/** Which settings say where a file system is, by the scheme of its URL. */
const settingsOf: Readonly<Record<string, string>> = { file: 'data.dir', s3: 'clusters' }

export const createStages = ({ log, now, url, waiting }: StagesOptions): Stages => {
  const settings = settingsOf[url.slice(0, url.indexOf(':'))] ?? 'namenode.url and namenode.webhdfs.url'
  const meanwhile = `events are accepted and wait on the local disk; check ${settings}`
  const make = (words: OutageOptions['words'], toFields?: OutageOptions['toFields']): Outage =>
    createOutage({ log, now, words, ...(toFields ? { toFields } : {}) })
  const repeated = (what: string): Outage =>
    make({
      begins: `${what} failed and is retried`,
      lasts: `${what} still fails`,
      ends: `${what} succeeds again`,
    })
  const outages = {
    log: make({
      level: 'error',
      begins: 'the log of the spool cannot be written: events are refused with 503',
      lasts: 'the log of the spool still cannot be written: events are refused with 503',
      ends: 'the log of the spool can be written again: events are accepted',
    }),
    space: repeated('checking the free space of the spool'),
    ledger: repeated('writing the ledger'),
    sealing: repeated('sealing'),
    cleanup: repeated('removing local copies'),
    tables: repeated('writing a snapshot of a table'),
    upkeep: repeated('expiring old snapshots of a table'),
    strays: repeated('removing stray temporary files'),
    // Each commit that succeeds has a line of its own.
    commit: make({ begins: 'commit failed and is retried', lasts: 'commits still fail' }),
    away: make(
      {
        begins: `the file system does not answer: ${meanwhile}`,
        lasts: `the file system still does not answer: ${meanwhile}`,
        ends: 'the file system answers again: waiting events are delivered, oldest first',
      },
      awaySeconds => {
        const { files, events, bytes } = waiting()
        return { fileSystem: url, awaySeconds, files, events, bytes }
      },
    ),
  }
  const find = (work: WorkName): Trouble[] => {
    const found = (work === 'commit' ? outages.away.now : undefined) ?? outages[work].now
    return found ? [{ work, ...found }] : []
  }
  return {
    ...outages,
    remind: () => {
      for (const outage of Object.values(outages)) outage.remind()
    },
    get troubles() {
      return workNames.flatMap(find)
    },
  }
}

/** An error of the disk for people: with its code, and the path that it is about. */
export const describeDiskError = (
  error: unknown,
  disk: Pick<Disk, 'directory'>,
  path: string,
): { readonly reason: string; readonly code: string | undefined; readonly path: string } => {
  const { message = String(error), code } = error as Partial<NodeJS.ErrnoException>
  const whole = join(disk.directory, path)
  const named = code === undefined || message.includes(code) ? message : `${code}: ${message}`
  return { reason: named.includes(whole) ? named : `${named} (${whole})`, code, path: whole }
}
