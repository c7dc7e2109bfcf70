/**
 * The right to write a journal. A writer fills one number after the other, so a claim at the first free number fences it: it
 * finds the claim there and writes nothing behind it.
 *
 *     read the head ─▶ check its keeper ─▶ write a claim at the next number ─▶ compare with the head again
 *
 * Numbers far before the head may be free, because objects without bytes of a file are deleted. A claim at such a number, by
 * a process that has read an old head, fences no writer; the second look at the head tells.
 */
import { randomBytes } from 'node:crypto'
import { refusal } from '../cluster/steps.ts'
import { encodeClaim, type JournalClaim, type JournalEntry } from './frame.ts'
import type { JournalObjects } from './objects.ts'
import { readHead } from './replay.ts'

export type ClaimRequest = {
  /** The new keeper of the log. */
  readonly keeper: string
  /** What the log becomes: unchanged, empty, or ended. */
  readonly as: 'it was' | 'empty' | 'ended'
  /** Throws where the log may not be claimed. `head` is undefined for a journal without objects. */
  readonly check: (head: JournalEntry | undefined) => void | Promise<void>
}

/** Attempts; each one before was too slow. */
const maxTries = 50

/**
 * Rejects with what `check` throws, and with `unavailable` where it is not known whether it is claimed.
 * @returns the claim, and its number
 */
export const claimJournal = async (
  objects: JournalObjects,
  { keeper, as, check }: ClaimRequest,
): Promise<{ readonly number: number; readonly claim: JournalClaim }> => {
  for (let tried = 1; ; tried++) {
    const found = await readHead(objects)
    await check(found?.entry)
    const number = (found?.head ?? 0) + 1
    const since = as === 'it was' ? (found?.entry.since ?? number) : number
    const session = randomBytes(12).toString('hex')
    const claim: JournalClaim = { kind: 'claim', keeper, session, since, isEnd: as === 'ended' }
    const bytes = encodeClaim(claim)
    // Another claim has the same length, and may have the same checksum.
    const isOurs = (await objects.put(number, bytes)) === 'done' && bytes.equals(await objects.read(number))
    if (isOurs && (await objects.head()) === number) return { number, claim }
    if (tried === maxTries)
      throw refusal('unavailable', objects.pathOf(number), 'claim', 'other writers were faster each time')
  }
}
