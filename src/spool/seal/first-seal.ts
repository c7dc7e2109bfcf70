import { isConflict } from '../files/bucket-file.ts'
import { parsePieceName, segmentInName, segmentOfFile } from '../files/spool-paths.ts'
import type { LedgerState } from '../ledger/ledger-state.ts'

/** A part of a segment that is in no file. */
export type AsidePart = {
  readonly start: number
  readonly end: number
  readonly reason: string
  /** Whether it was decided about for good. */
  readonly isSettled: boolean
}

/**
 * The result of a segment's first seal, as far as its files do not show it. Sealed again, by another collector, at
 * another time, the result is the same: what is in a file is in none a second time, and what is in none gets there by
 * itself alone, under a number of its own.
 */
export type FirstSeal = {
  /** Types that their tables refused, and why. */
  readonly refused: readonly (readonly [eventName: string, reason: string])[]
  readonly aside: readonly AsidePart[]
  /** Where requests begin of which events are in no file, and were decided about for good: those of these types, and what could not be read. */
  readonly settled: readonly (readonly [start: number, refused: readonly string[]])[]
  /** Names of files that are at their places, or were removed: where their tables refuse them now, they need not be made again. */
  readonly placed: readonly string[]
  /** Names of files that have to be made again: they may be at their places, or a person decides about them. */
  readonly due: readonly string[]
}

/** @param segment that is sealed again */
export const toFirstSeal = (
  { files, damage, settled }: Pick<LedgerState, 'files' | 'damage' | 'settled'>,
  segment: number,
): FirstSeal => {
  const refused = new Map<string, string>()
  const aside: AsidePart[] = []
  const done = [...settled.values()].filter(piece => piece !== undefined)
  const over: [start: number, refused: readonly string[]][] = []
  for (const piece of [...damage.values(), ...done]) {
    if (segmentInName(piece.file) !== segment) continue
    for (const name of piece.refused ?? []) refused.set(name, piece.reason)
    const start = parsePieceName(piece.file)?.start
    if (start === undefined) continue
    const isSettled = settled.get(piece.file) === piece
    if (piece.withheld) aside.push({ start, end: start + piece.bytes, reason: piece.reason, isSettled })
    else if (isSettled) over.push([start, piece.refused ?? []])
  }
  const placed = Array.from(settled.keys().filter(name => segmentOfFile(name) === segment))
  const due: string[] = []
  for (const { file, state } of files.ofSegments(one => one === segment)) {
    if (state.at === 'placed' || state.at === 'committed') placed.push(file.name)
    else if (state.at === 'moving' || state.at === 'taken' || isConflict(state)) due.push(file.name)
  }
  return { refused: [...refused], aside, settled: over, placed, due }
}
