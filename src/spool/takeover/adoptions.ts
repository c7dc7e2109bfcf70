import type { Disk } from '../../disk/disk.ts'
import { type Adoption, type AdoptionOptions, createAdoption } from './adoption.ts'
import type { Owner } from './owners.ts'
import type { TakeOverStatus } from './take-over-status.ts'

export type AdoptionsOptions = Omit<AdoptionOptions, 'closing' | 'placeOf'> & {
  /** Of our own spool; what is gone on with stands below it. */
  readonly disk: Pick<Disk, 'directory' | 'list' | 'removeDirectory'>
}

/** Logs that were taken, gone on with one after another. */
export type Adoptions = {
  /** Goes on with one more, also where one of its name is done; one that is under way is fine. */
  add(owner: Owner): void
  /** These are ours, and no others: what another collector has taken from us must not go on. */
  keep(names: ReadonlySet<string>): Promise<void>
  /** Begins with what waits, where nothing is under way. */
  run(): void
  /** Whether a log is, or was, gone on with. */
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
  let running: Promise<void> | undefined

  const goOn = async (adoption: Adoption): Promise<void> => {
    const { id, name } = adoption.owner
    if (!adoption.isLost && !adoption.isLeft && (await adoption.run())) {
      adoptions.delete(name)
      done.add(name)
      takenOver++
    }
    if (!adoption.isLost || !adoptions.delete(name)) return
    await disk.removeDirectory(toAdoptedPath(id))
    log.warn({ collector: id }, 'another collector has taken over a log that this one had taken')
  }

  const work = async (): Promise<void> => {
    for (const adoption of Array.from(adoptions.values())) if (!closing.signal.aborted) await goOn(adoption)
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
      running ??= work().finally(() => {
        running = undefined
      })
    },
    knows: name => adoptions.has(name) || done.has(name),
    status: () => ({ takingOver: Array.from(adoptions.values(), ({ status }) => status), takenOver }),
    close: async () => {
      closing.abort(new Error('the server stops'))
      await running?.catch(() => {})
    },
  }
}
