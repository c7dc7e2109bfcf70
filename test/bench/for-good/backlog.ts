/** What waited at a moment, in events: in the log, or sealed and not yet in the file system. */
export type Waiting = { readonly at: number; readonly waiting: number }

/** What waited at both ends of a run: means over a flush interval each, for it goes up and down with each of them. */
export type Backlog = { readonly from: number; readonly to: number }

/** @param looks in the order of their times, over two intervals at least */
export const toBacklog = (looks: readonly Waiting[], intervalMs: number): Backlog => {
  const first = looks[0]?.at ?? 0
  const last = looks.at(-1)?.at ?? 0
  return {
    from: mean(looks.filter(({ at }) => at < first + intervalMs)),
    to: mean(looks.filter(({ at }) => at > last - intervalMs)),
  }
}

/**
 * Whether the backlog did not grow by more than a tenth of the events of an interval: samples do not hit the same
 * moments.
 */
export const isLevel = ({ from, to }: Backlog, eventsPerInterval: number): boolean =>
  to - from <= eventsPerInterval / 10

const mean = (looks: readonly Waiting[]): number =>
  looks.reduce((sum, { waiting }) => sum + waiting, 0) / Math.max(1, looks.length)
