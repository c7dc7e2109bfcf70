import { hasPassed } from './due.ts'
import type { SpoolLogger } from './spool-options.ts'

/** Tells the operator of an outage of the file system: when it begins, once a minute, and when it is over. */
export type OutageLog = {
  /** The file system did not answer, and why. */
  away(reason: string): void
  /** It answered. */
  back(): void
  /** To be called again and again. */
  remind(): void
}

export type OutageLogOptions = {
  readonly log: SpoolLogger
  readonly now: () => number
  /** As of `FileSystem.url`. */
  readonly url: string
  /** What waits on the local disk. */
  readonly waiting: () => { readonly files: number; readonly events: number; readonly bytes: number }
}

const remindEveryMs = 60_000

export const createOutageLog = ({ log, now, url, waiting }: OutageLogOptions): OutageLog => {
  const settings = url.startsWith('file:') ? 'data.dir' : 'namenode.url and namenode.webhdfs.url'
  const meanwhile = `events are taken and wait on the local disk; see ${settings}`
  let outage: { readonly since: number; saidAt: number; reason: string } | undefined
  const toFields = (since: number): object => {
    const { files, events, bytes } = waiting()
    return { fileSystem: url, awaySeconds: Math.max(0, Math.round((now() - since) / 1_000)), files, events, bytes }
  }
  return {
    away: reason => {
      if (outage !== undefined) {
        outage.reason = reason
        return
      }
      outage = { since: now(), saidAt: now(), reason }
      log.warn({ reason, ...toFields(outage.since) }, `the file system does not answer: ${meanwhile}`)
    },
    back: () => {
      if (outage === undefined) return
      log.info(toFields(outage.since), 'the file system answers again: what waits is carried there, oldest first')
      outage = undefined
    },
    remind: () => {
      if (outage === undefined || !hasPassed(now(), outage.saidAt, remindEveryMs)) return
      outage.saidAt = now()
      const { reason, since } = outage
      log.warn({ reason, ...toFields(since) }, `the file system still does not answer: ${meanwhile}`)
    },
  }
}
