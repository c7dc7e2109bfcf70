import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSluice, type Sluice } from '../suites/sluice-process.ts'

/** A request with an idempotency key. */
export type KeyedRequest = { readonly key: string; readonly events: readonly number[] }

/** One that may have been taken, for there was no answer. */
export type UnansweredRequest = KeyedRequest & {
  /** The collector's id at that time. */
  readonly id: string
}

/** A collector with a disk of its own: both can be lost. */
export type Machine = {
  /** Its number among those of the fleet, the first is 0. */
  readonly number: number
  readonly sluice: Sluice
  /** Its collector's id: the name of its log in the file system; another one after a start that set its spool aside. */
  readonly id: string
  /** Events that it has acknowledged. */
  readonly acknowledged: Set<number>
  /** Requests with a key that it has answered with 202. */
  readonly answered: KeyedRequest[]
  /** Requests with a key that it may have taken: it never answered. */
  readonly unanswered: UnansweredRequest[]
  /** What it printed, where people find it. */
  readonly logFile: string
  /** Whether it is gone for good. */
  readonly isLost: boolean
  /** `kill -9`, and its disk is gone. */
  lose(): Promise<void>
  /** `kill -9`, and it starts again on its disk. */
  restart(): Promise<void>
}

export type MachineOptions = {
  readonly number: number
  readonly outputDirectory: string
  readonly settings: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where its disk and its log are. */
  readonly directory: string
  /** It ended by itself. @param id of its collector */
  readonly onCrash: (id: string, sentence: string) => void
}

/** Starts a collector on an empty disk; resolves when it listens. */
export const startMachine = async ({
  number,
  outputDirectory,
  settings,
  env,
  ...options
}: MachineOptions): Promise<Machine> => {
  const directory = join(options.directory, `disk-${number}`)
  const logFile = join(options.directory, `log-${number}`)
  await mkdir(directory)
  const log = createWriteStream(logFile)
  let id = ''
  let isLost = false
  const sluice = await createSluice({
    directory,
    outputDirectory,
    settings,
    env,
    onLine: line => void log.write(`${line}\n`),
    onCrash: (code, signal) => options.onCrash(id, `machine ${number} ended by itself with ${code ?? signal}`),
  })
  await sluice.start()
  id = await readId(directory)
  return {
    number,
    sluice,
    get id() {
      return id
    },
    acknowledged: new Set(),
    answered: [],
    unanswered: [],
    logFile,
    get isLost() {
      return isLost
    },
    lose: async () => {
      isLost = true
      await sluice.kill()
      await rm(directory, { recursive: true, force: true })
    },
    restart: async () => {
      await sluice.kill()
      await sluice.start()
      id = await readId(directory)
    },
  }
}

const readId = async (directory: string): Promise<string> =>
  (await readFile(join(directory, '.diskpool', 'id'), 'utf8')).trim()

/** A directory for the disks and logs of a fleet. */
export const createFleetDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'sluice-fleet-'))
