import type { Current } from '../current.ts'
import { baseName, isInside, joinPath, parsePath } from '../filesystem/path.ts'
import type { EventDirectory } from '../gateway/context.ts'
import { encodeEventName } from '../spool/bucket.ts'
import type { Spool } from '../spool/spool.ts'
import type { SpoolSettings } from '../spool/spool-settings.ts'

/** Event types that are named where many wait. */
const maxWaitingTypes = 100

export type EventDirectoryOptions = {
  readonly settings: Current<Pick<SpoolSettings, 'outputDirectory' | 'flushIntervalMs'>>
  readonly spool: Pick<Spool, 'stats' | 'schemas'>
  /** ms since the epoch. */
  readonly now: () => number
}

/**
 * What is known of a directory besides its contents: for an event type's directory its columns and the events that
 * wait, and for the one with all types, or with that one, the types that wait; undefined for every other path.
 */
export const createEventDirectory = ({ settings, spool, now }: EventDirectoryOptions) => {
  const { outputDirectory } = settings()
  const toWaiting = (waiting: readonly (readonly [name: string, events: number])[]): EventDirectory['waiting'] => {
    const events = waiting.reduce((sum, [, count]) => sum + count, 0)
    if (events === 0) return undefined
    const { flushEnabled, lastFlushError } = spool.stats()
    const at = now()
    const { flushIntervalMs } = settings()
    return {
      events,
      flushAt: flushEnabled ? at - (at % flushIntervalMs) + flushIntervalMs : undefined,
      isFailing: lastFlushError !== '',
      typeCount: waiting.length,
      types: [...waiting]
        .sort(([, left], [, right]) => right - left)
        .slice(0, maxWaitingTypes)
        .map(([name, count]) => ({ name, path: joinPath(outputDirectory, encodeEventName(name)), events: count })),
    }
  }
  return (path: string): EventDirectory | undefined => {
    try {
      const directory = parsePath(path)
      if (isInside(parsePath(outputDirectory), directory)) {
        const hasTypes = directory === parsePath(outputDirectory)
        return { hasTypes, waiting: toWaiting([...spool.stats().waitingByType]) }
      }
      const name = decodeURIComponent(baseName(directory))
      if (directory !== joinPath(outputDirectory, encodeEventName(name))) return undefined
      const events = spool.stats().waitingByType.get(name) ?? 0
      return { name, columns: spool.schemas.describe(name), waiting: toWaiting([[name, events]]) }
    } catch {
      // No path of an event type: its page is shown, or refused, as any other.
      return undefined
    }
  }
}
