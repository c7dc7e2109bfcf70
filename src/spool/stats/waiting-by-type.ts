import type { OpenBucket } from '../log/open-buckets.ts'

/** What the events that wait are gathered from. */
export type WaitingParts = {
  /** Where directories of event types are. */
  readonly outputDirectory: string
  /** Events in sealed files, by `bucketLabel`. */
  readonly sealed: ReadonlyMap<string, number>
  readonly open: Iterable<OpenBucket>
}

/**
 * Events in the open segment and in sealed files by event name; files that were sealed for another output directory
 * belong to none. It takes as long as there are buckets.
 */
export const toWaitingByType = ({ outputDirectory, sealed, open }: WaitingParts): ReadonlyMap<string, number> => {
  const waiting = new Map<string, number>()
  const add = (name: string, events: number): void => void waiting.set(name, (waiting.get(name) ?? 0) + events)
  for (const { head, events } of open) add(head.name, events)
  const root = outputDirectory === '/' ? '/' : `${outputDirectory}/`
  for (const [label, events] of sealed) {
    if (!label.startsWith(root)) continue
    // An encoded name has neither: one ends it as a directory, the other as all there is of the path.
    const [encoded = ''] = label.slice(root.length).split(/[/|]/, 1)
    add(decodeURIComponent(encoded), events)
  }
  return waiting
}
