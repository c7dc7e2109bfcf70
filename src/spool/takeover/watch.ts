/**
 * Finds collectors that no longer show a sign of life. Each raises a counter of its own; only its changes count, never
 * its value. All time is that of this process, and it counts only while the name node is seen to answer and to write: a
 * round that was late, slow or failed proves nothing about the others, and restarts the wait for all of them.
 */

/** A round may take so long, and begin so long after the end of the one before. */
export const longestRoundMs = 5_000

export type WatchOptions = {
  /** In ms; of a clock that is never set. */
  readonly monotonicMs: () => number
  /** Raises our own counter, which proves that the name node is active, not in safe mode, and that our log is ours. */
  readonly beat: () => Promise<void>
  /** The counters of the others; undefined of one that has no counter although something is in its name. */
  readonly look: () => Promise<ReadonlyMap<string, number | undefined>>
  /** How long one is silent before it counts as gone. */
  readonly takeoverMs: () => number
}

/** Watches the other collectors. */
export type CollectorWatch = {
  /** One look at all. @returns those that count as gone @throws what `beat` and `look` do */
  round(): Promise<readonly string[]>
  /** Those that were seen in the last round, and how long their counters have not changed, in ms. */
  readonly silent: ReadonlyMap<string, number>
}

type Seen = { readonly counter: number | undefined; readonly since: number; silentMs: number }

export const createWatch = ({ monotonicMs, beat, look, takeoverMs }: WatchOptions): CollectorWatch => {
  const seen = new Map<string, Seen>()
  let ended: number | undefined

  const compare = (counters: ReadonlyMap<string, number | undefined>, lookedAt: number, now: number): string[] => {
    for (const name of seen.keys()) if (!counters.has(name)) seen.delete(name)
    const gone: string[] = []
    for (const [name, counter] of counters) {
      const known = seen.get(name)
      // What is new may be as young as the answer; what is old was so before we asked.
      if (!known || known.counter !== counter) seen.set(name, { counter, since: now, silentMs: 0 })
      else {
        known.silentMs = Math.max(0, lookedAt - known.since)
        if (known.silentMs >= takeoverMs()) gone.push(name)
      }
    }
    return gone
  }

  const lookAtAll = async (began: number): Promise<readonly string[]> => {
    await beat()
    const lookedAt = monotonicMs()
    const counters = await look()
    const now = monotonicMs()
    if (now - began <= longestRoundMs) return compare(counters, lookedAt, now)
    seen.clear()
    return []
  }

  return {
    round: async () => {
      const began = monotonicMs()
      if (ended !== undefined && began - ended > longestRoundMs) seen.clear()
      try {
        return await lookAtAll(began)
      } catch (error) {
        seen.clear()
        throw error
      } finally {
        ended = monotonicMs()
      }
    },
    get silent() {
      return new Map(Array.from(seen, ([name, { silentMs }]) => [name, silentMs]))
    },
  }
}
