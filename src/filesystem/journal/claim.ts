/**
 * Who writes a journal. A claim at the first free number is where all before it end: what a writer has not brought there by then
 * it cannot bring there any more, because it fills one number after the other, and finds the claim at this one.
 *
 *     the head ─▶ may we? ─▶ a claim behind it, where nothing is ─▶ is it the head?
 *
 * A number far behind the head may be free, since objects of which no file has a byte are deleted: a claim there, by whoever saw
 * an old head, ends nothing. So the head is asked for again, and nobody looks at such a claim.
 */
import { randomBytes } from 'node:crypto'
import { refusal } from '../cluster/steps.ts'
import { type Claim, encodeClaim, type JournalEntry } from './frame.ts'
import type { JournalObjects } from './objects.ts'
import { readHead } from './replay.ts'

export type ClaimRequest = {
  /** Who has the log from now on. */
  readonly keeper: string
  /** What the log is to be: as it was, empty, or no more. */
  readonly as: 'it was' | 'empty' | 'ended'
  /** Whether it may be claimed, by what its head says; undefined where there is none. Throws what is reported where it may not. */
  readonly check: (head: JournalEntry | undefined) => void | Promise<void>
}

/** How often it is tried: each time another one was faster. */
const maxTries = 50

/**
 * Rejects with what `check` throws, and with `unavailable` where it is not known whether it is claimed.
 * @returns the claim, and its number
 */
export const claimJournal = async (
  objects: JournalObjects,
  { keeper, as, check }: ClaimRequest,
): Promise<{ readonly number: number; readonly claim: Claim }> => {
  for (let tried = 1; ; tried++) {
    const found = await readHead(objects)
    await check(found?.entry)
    const number = (found?.head ?? 0) + 1
    const since = as === 'it was' ? (found?.entry.since ?? number) : number
    const session = randomBytes(12).toString('hex')
    const claim: Claim = { kind: 'claim', keeper, session, since, isEnd: as === 'ended' }
    const bytes = encodeClaim(claim)
    // Others' claims are as long, and a checksum may be that of another one.
    const isOurs = (await objects.put(number, bytes)) === 'done' && bytes.equals(await objects.read(number))
    if (isOurs && (await objects.head()) === number) return { number, claim }
    if (tried === maxTries)
      throw refusal('unavailable', objects.pathOf(number), 'claim', 'others are always faster')
  }
}
