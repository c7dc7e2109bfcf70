import { join } from 'node:path'
import { createEvent, eventBytes, nameOf } from '../events.ts'
import { runToEnd } from '../process.ts'

/** A log as the server leaves it of which nothing is sealed yet: closed segments of JSON events. */
export type RecordedLog = {
  readonly segments: number
  readonly eventsPerSegment: number
  /** Event types that take turns. */
  readonly types: number
  /** Of one request: 1, or as many as a batch has. */
  readonly eventsPerRequest: number
}

/** All events are of one hour, whenever they are recorded. */
export const recordedAt: number = Date.UTC(2026, 0, 2, 3, 4, 5)

/** Inputs of the script that records: the log, and the directory of a spool, which has to be new. */
export type RecordOptions = RecordedLog & { readonly directory: string }

const maxMs = 300_000

/** Records a log in a process of its own, so that nothing of it is in the memory of the one that is measured. */
export const recordLog = async (options: RecordOptions): Promise<void> => {
  const script = { script: join(import.meta.dirname, 'record.ts'), args: [JSON.stringify(options)] } as const
  await runToEnd({ ...script, core: 'load', cwd: options.directory }, maxMs)
}

/** The bodies of one segment's requests; those of the next segment are the same. */
export const createBodies = ({ eventsPerSegment, types, eventsPerRequest }: RecordedLog): readonly string[] => {
  const event = (i: number): string => createEvent(i, eventBytes, nameOf(i, types), recordedAt)
  if (eventsPerRequest === 1) return Array.from({ length: eventsPerSegment }, (_, i) => event(i))
  return Array.from({ length: eventsPerSegment / eventsPerRequest }, (_, request) => {
    const first = request * eventsPerRequest
    return `[${Array.from({ length: eventsPerRequest }, (__, i) => event(first + i)).join(',')}]`
  })
}
