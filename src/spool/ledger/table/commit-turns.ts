/** This many files of one segment are taken before the next segment has its turn: most segments have fewer. */
const filesPerTurn = 64

/** This many files are looked at ahead, which bounds what is held of a long backlog. */
const maxAhead = 20_000

/** A file that waits: its slot in the table, and the segment that it was made from. */
export type WaitingSlot = { readonly slot: number; readonly segment: number }

/**
 * Files in the order in which they are committed: oldest segments first, but one with many files takes turns with those
 * after it. So a flood of files holds up the events of others by seconds, and a backlog of ordinary segments goes in
 * its order.
 * @param waiting files that wait, oldest first
 */
export function* commitTurns(waiting: Iterator<WaitingSlot>): Generator<number, void, undefined> {
  const segments = new Map<number, number[]>()
  let ahead = 0
  const look = (): void => {
    while (ahead < maxAhead) {
      const next = waiting.next()
      if (next.done) return
      const { segment, slot } = next.value
      const slots = segments.get(segment)
      if (slots) slots.push(slot)
      else segments.set(segment, [slot])
      ahead++
    }
  }
  for (look(); segments.size > 0; look()) {
    for (const [segment, slots] of segments) {
      const turn = slots.splice(0, filesPerTurn)
      if (slots.length === 0) segments.delete(segment)
      ahead -= turn.length
      yield* turn
    }
  }
}
