import type { Logger } from '../../log/log.ts'
import type { TakingOver } from '../replica/replica-status.ts'
import { type AdoptedLog, type AdoptLogOptions, adoptLog } from './adopt-log.ts'
import type { Owner } from './owners.ts'

/** A log that was taken, on its way to the file system. */
export type Adoption = {
  readonly owner: Owner
  readonly status: TakingOver
  /** Those in the file system, once all are. */
  readonly events: number
  /** Whether what is left of it waits for a person. */
  readonly isLeft: boolean
  /** Another collector has taken it from us. */
  readonly isLost: boolean
  lose(): void
  /** Continues it. @returns whether all of it is in the file system; failures are logged and retried */
  run(): Promise<boolean>
}

export type AdoptionOptions = Omit<AdoptLogOptions, 'signal'> & {
  readonly log: Logger
  /** Of the stop of the server. */
  readonly closing: AbortSignal
  /** Where the spool of a collector is, for people. */
  readonly placeOf: (collectorId: string) => string
}

export const createAdoption = (options: AdoptionOptions, owner: Owner): Adoption => {
  const { log, closing, placeOf } = options
  const { id } = owner
  const aborter = new AbortController()
  const signal = AbortSignal.any([closing, aborter.signal])
  let status: TakingOver = { id, waitingEvents: 0, problem: 'another log is taken over before it' }
  let isLeft = false
  let sent = 0

  const finish = (adopted: AdoptedLog): boolean => {
    const { events, left, lost } = adopted
    isLeft = left > 0 || lost.length > 0
    sent = events
    if (!isLeft) {
      log.info({ collector: id, events }, 'a log was taken over: all of it is in the file system')
      return true
    }
    const directory = placeOf(id)
    status = { id, waitingEvents: 0, problem: describeLeft(adopted, directory) }
    const message = 'a log was taken over, except for files that need an operator'
    log[lost.length > 0 ? 'error' : 'warn']({ collector: id, files: left, lost, directory }, message)
    return false
  }

  const fail = (error: Error): false => {
    if (signal.aborted) return false
    if (status.problem !== error.message)
      log.warn({ collector: id, reason: error.message, err: error }, 'the takeover of a log failed and is retried')
    status = { ...status, problem: error.message }
    return false
  }

  return {
    owner,
    get status() {
      return status
    },
    get events() {
      return sent
    },
    get isLeft() {
      return isLeft
    },
    get isLost() {
      return aborter.signal.aborted
    },
    lose: () => aborter.abort(new Error('another collector has taken it')),
    run: async () => {
      const adopted = adoptLog({ ...options, signal }, owner, {
        onStep: step => log.info({ collector: id, step }, 'a log is being taken over'),
        onStatus: ({ left, problem }) => {
          status = { id, waitingEvents: left.waiting.events, problem }
        },
      })
      return await adopted.then(finish, fail)
    },
  }
}

/** Segments that are named. */
const maxNamed = 3

const describeLeft = ({ left, lost }: AdoptedLog, directory: string): string => {
  const files = left === 0 ? [] : [`${left} ${left === 1 ? 'file waits' : 'files wait'} for a person`]
  const named = lost.slice(0, maxNamed).join(', ')
  const segments =
    lost.length === 0 ? [] : [`${lost.length} lost (${named}): take note of ${lost.length === 1 ? 'it' : 'them'}`]
  return `${[...files, ...segments].join(', ')} in ${directory}`
}
