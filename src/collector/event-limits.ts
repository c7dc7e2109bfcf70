import { Budget, type BudgetLimits } from '../formats/budget.ts'

/** Bytes of one event as it was sent; of Smile, of its names, texts and binary. */
export const maxEventBytes = 16 * 1024 * 1024

/** Values in one event, objects and arrays among them. */
export const maxEventValues = 100_000

/** What one event may hold, whatever its format; more is refused alone. */
export const toEventLimits = (maxValues: number): BudgetLimits => ({
  of: 'an event',
  values: { max: maxValues },
  bytes: { max: maxEventBytes },
})

/** A budget for one event after another. @param format whose bytes are decoded, for errors */
export const createEventBudget = (format: string, maxValues: number): Budget =>
  new Budget(format, toEventLimits(maxValues))

/** Why an event is refused that holds too many values. */
export const tooManyValues = (maxValues: number): string => `The event holds more than ${maxValues} values`

/** Why an event is refused that is too long. */
export const tooManyBytes = `The event has more than ${maxEventBytes} bytes`
