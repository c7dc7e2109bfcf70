/** What a client knows of the events that it sent: numbers it used, and the answer to each. */
export type ClientLedger = {
  /** A number for one event, never used before. */
  issue(): number
  /** The server has answered that the events are kept. */
  acknowledge(...events: readonly number[]): void
  /** The server has answered that they are not, and no attempt with them is without an answer. */
  refuse(...events: readonly number[]): void
  /** Events that were refused are sent again: until there is an answer, they may be there. */
  retry(...events: readonly number[]): void
  readonly issued: number
  readonly acknowledged: ReadonlySet<number>
  /** Holds the numbers that were found against those that were sent. */
  compare(found: Iterable<number>): Verdict
}

/** Each list is empty, or absent, when all is well. */
export type Verdict = {
  /** Acknowledged, and not found. */
  readonly lost: readonly number[]
  /** Found more than once. */
  readonly twice: readonly number[]
  /** Found, and never sent. */
  readonly unknown: readonly number[]
  /** Found, although the server has said that they were not kept; absent without such events. */
  readonly refused?: readonly number[]
}

/** The verdict when nothing was lost, doubled or made up. */
export const allIsWell: Verdict = { lost: [], twice: [], unknown: [] }

export const createClientLedger = (): ClientLedger => {
  const acknowledged = new Set<number>()
  const refused = new Set<number>()
  let issued = 0
  return {
    issue: () => issued++,
    acknowledge: (...events) => {
      for (const event of events) acknowledged.add(event)
    },
    refuse: (...events) => {
      for (const event of events) refused.add(event)
    },
    retry: (...events) => {
      for (const event of events) refused.delete(event)
    },
    get issued() {
      return issued
    },
    acknowledged,
    compare: found => {
      const seen = new Set<number>()
      const twice: number[] = []
      for (const event of found) {
        if (seen.has(event)) twice.push(event)
        seen.add(event)
      }
      const kept = [...refused].filter(event => seen.has(event) && !acknowledged.has(event))
      return {
        lost: [...acknowledged].filter(event => !seen.has(event)),
        twice,
        unknown: [...seen].filter(event => !Number.isInteger(event) || event < 0 || event >= issued),
        ...(kept.length > 0 ? { refused: kept } : {}),
      }
    },
  }
}
