import { SluiceError } from '../../errors.ts'

/** What a line of the log says of it: numbers, names of states. */
export type InvariantFigures = Readonly<Record<string, number | string>>

/** The spool's own figures or states contradict one another: what this process believes is wrong, and the disk is what counts. */
export class InvariantBroken extends SluiceError {
  override readonly name = 'InvariantBroken'
  readonly invariant: string
  readonly figures: InvariantFigures

  constructor(invariant: string, figures: InvariantFigures) {
    super('draining', 'The server stops because of an internal fault', { about: 'shutting-down' })
    this.invariant = invariant
    this.figures = figures
  }
}

/**
 * Checks something that must always hold.
 * @param name the rule, as logged
 * @throws InvariantBroken where it does not
 */
export type Invariant = (holds: boolean, name: string, figures: () => InvariantFigures) => void

/** For code that runs alone, without a spool that could stop. */
export const invariantAlone: Invariant = (holds, name, figures) => {
  if (!holds) throw new InvariantBroken(name, figures())
}

/** The invariants of one spool. */
export type Invariants = {
  /** Throws once: what cleans up afterwards finds more that does not hold, and nothing that it does counts any more. */
  readonly invariant: Invariant
  /** The first one that did not hold. */
  readonly broken: InvariantBroken | undefined
  /** @throws InvariantBroken once one did not hold */
  check(): void
}

/** @param onBroken hears of the first one, before it is thrown */
export const createInvariants = (onBroken: (broken: InvariantBroken) => void): Invariants => {
  let broken: InvariantBroken | undefined
  return {
    invariant: (holds, name, figures) => {
      if (holds || broken !== undefined) return
      broken = new InvariantBroken(name, figures())
      onBroken(broken)
      throw broken
    },
    get broken() {
      return broken
    },
    check: () => {
      if (broken !== undefined) throw broken
    },
  }
}
