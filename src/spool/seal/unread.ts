import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'
import { pieceName } from '../files/spool-paths.ts'
import type { Damage } from '../ledger/damage-list.ts'
import type { SegmentPart } from '../segment/segment-reader.ts'
import type { Bad } from './add-events.ts'
import { countWithheld } from './withheld.ts'

/** A part of a segment, with the bytes to set aside. */
export type Place = Pick<SegmentPart, 'start' | 'end' | 'piece'>

/** A part of a segment whose events are in no file. */
export type UnreadPart = { readonly part: Place; readonly guess: number; readonly reason: string }

/**
 * It is kept until everything readable was read; by then the memory of a record is reused.
 * @param guess how many events it held
 */
export const toUnreadPart = (part: SegmentPart, guess: number, reason: string): UnreadPart => {
  if (part.kind === 'withheld') return { part, guess, reason }
  const bytes = part.piece()
  return { part: { start: part.start, end: part.end, piece: () => bytes }, guess, reason }
}

/**
 * Sets aside what is in no file, each part with its share of the events that are missing.
 * @param missing undefined where it is not known how many events the segment held
 */
export const withhold = async (
  disk: Disk,
  segment: number,
  unread: readonly UnreadPart[],
  missing: number | undefined,
): Promise<readonly Damage[]> => {
  const guesses = unread.map(({ guess }) => guess)
  const counts = countWithheld(guesses, missing)
  const pieces: Damage[] = []
  for (const [i, { part, reason }] of unread.entries()) {
    const count = counts[i] ?? 0
    // Of what was acknowledged nothing is missing.
    const facts = count === 0 ? { torn: true } : { withheld: true }
    pieces.push(await keepPiece(disk, segment, part, { events: count, reason, ...facts }))
  }
  return pieces
}

export const keepPiece = async (disk: Disk, segment: number, part: Place, bad: Bad): Promise<Damage> => {
  const file = pieceName(segment, part.start)
  await writeSynced(disk, `_quarantine/${file}`, part.piece())
  return { file, bytes: part.end - part.start, ...bad }
}
