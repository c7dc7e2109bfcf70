import type { Disk } from '../../disk/disk.ts'
import type { TakeOverStatus } from '../replica/replica-status.ts'
import { type Adoption, type AdoptionOptions, createAdoption } from './adoption.ts'
import type { Owner } from './owners.ts'

export type AdoptionsOptions = Omit<AdoptionOptions, 'closing' | 'placeOf'> & {
  /** Of our own spool; adopted logs are below it. */
  readonly disk: Pick<Disk, 'directory' | 'list' | 'removeDirectory'>
}

/** Logs that are continued at a time: each has threads of its own. */
export const adoptionsAtOnce = 4

/** Logs that were taken, and are continued at the same time. */
export type Adoptions = {
  /** Continues one more log, also where one of its name is done; a log that is under way is fine. */
  add(owner: Owner): void
  /** These are ours, and no others: a log that another collector has taken from us must not continue. */
  keep(names: ReadonlySet<string>): Promise<void>
  /** Starts waiting logs, and retries failed ones; those that waited longest first. */
  run(): void
  /** Whether a log is, or was, continued here. */
  knows(name: string): boolean
  status(): Omit<TakeOverStatus, 'watched'>
  close(): Promise<void>
}

/** Below the directory of a spool: spools of other collectors, by their ids. */
export const adoptedDirectory = 'adopted'

const toAdoptedPath = (id: string): string => `${adoptedDirectory}/${id}`

export const createAdoptions = (options: AdoptionsOptions): Adoptions => {
  const { disk, log } = options
  const closing = new AbortController()
  const placeOf = (id: string): string => `${disk.directory}/${toAdoptedPath(id)}`
  const under = { ...options, closing: closing.signal, placeOf }
  const adoptions = new Map<string, Adoption>()
  const done = new Set<string>()
  let takenOver = 0
  let takenOverEvents = 0
  /** Those that have their turn in this round, and what is under way. */
  const due = new Set<Adoption>()
  const running = new Map<Adoption, Promise<void>>()

  const goOn = async (adoption: Adoption): Promise<void> => {
    const { id, name } = adoption.owner
    if (!adoption.isLost && !adoption.isLeft && (await adoption.run())) {
      adoptions.delete(name)
      done.add(name)
      takenOver++
      takenOverEvents += adoption.events
    }
    if (!adoption.isLost || !adoptions.delete(name)) return
    await disk.removeDirectory(toAdoptedPath(id))
    log.warn({ collector: id }, 'another collector has taken over a log that this one was delivering')
  }

  const begin = (): void => {
    for (const adoption of due) {
      if (closing.signal.aborted || running.size === adoptionsAtOnce) return
      due.delete(adoption)
      const ending = goOn(adoption)
        .catch((error: Error) => {
          const { id } = adoption.owner
          log.warn(
            { collector: id, reason: error.message, err: error },
            'the local files of a taken-over log cannot be removed',
          )
        })
        .then(() => {
          running.delete(adoption)
          begin()
        })
      running.set(adoption, ending)
    }
  }

  return {
    add: owner => {
      const { name } = owner
      done.delete(name)
      if (!adoptions.has(name)) adoptions.set(name, createAdoption(under, owner))
    },
    keep: async names => {
      for (const [name, adoption] of adoptions) if (!names.has(name)) adoption.lose()
      const known = new Set(Array.from(adoptions.values(), ({ owner }) => owner.id))
      const ours = new Set(Array.from(names, name => name.slice(0, name.indexOf('.'))))
      for (const { name: id } of await disk.list(adoptedDirectory).catch(() => []))
        if (!known.has(id) && !ours.has(id)) await disk.removeDirectory(toAdoptedPath(id))
    },
    run: () => {
      for (const adoption of adoptions.values()) if (!running.has(adoption)) due.add(adoption)
      begin()
    },
    knows: name => adoptions.has(name) || done.has(name),
    status: () => ({
      takingOver: Array.from(adoptions.values(), ({ status }) => status),
      takenOver,
      takenOverEvents,
    }),
    close: async () => {
      closing.abort(new Error('the server stops'))
      await Promise.all(running.values())
    },
  }
}
