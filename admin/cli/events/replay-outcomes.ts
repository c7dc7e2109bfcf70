import type { ReplayOutcome } from '../../../src/refused/refused-answers.ts'
import { plural, toCount } from '../print/units.ts'

const isIn = ({ outcome }: ReplayOutcome): boolean => outcome === 'accepted' || isBefore(outcome)

const isBefore = (outcome: ReplayOutcome['outcome']): boolean => outcome === 'before' || outcome === 'duplicate'

/** Whether all of it is in: of what is in, a detail says which part is not. */
export const isWhollyIn = (one: ReplayOutcome): boolean => isIn(one) && one.detail === ''

/** The outcomes of replays, in a sentence. */
export const toOutcomeText = (outcomes: readonly ReplayOutcome[]): string => {
  const taken = outcomes.filter(isIn)
  const before = taken.filter(({ outcome }) => isBefore(outcome)).length
  const part = taken.filter(one => !isWhollyIn(one)).length
  return [
    `${toCount(taken.length)} of ${plural(outcomes.length, 'refused request')} accepted`,
    ...(before === 0 ? [] : [`${toCount(before)} of them before`]),
    ...(part === 0 ? [] : [`${toCount(part)} of them in part`]),
  ].join(', ')
}
