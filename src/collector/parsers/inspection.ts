import type { EventHead } from '../../spool/batch.ts'
import type { Mismatch, Parsed } from '../parsed.ts'

/**
 * Compares one event with its schema; undefined when it fits.
 * @param exact gives the value with all numbers as they were sent, where `JSON.parse` has made `value`
 */
export type InspectEvent = (head: EventHead, value: unknown, exact?: () => unknown) => Mismatch | undefined

/** Mismatches of a request that are reported in detail; more are only counted. */
export const maxDetailed = 100

/** Looks at each event while it is there: a long body is not read twice. */
export type Inspection = {
  look(...event: Parameters<InspectEvent>): void
  result(): Pick<Parsed, 'mismatches'>
}

/** @param inspect absent where nothing is compared */
export const createInspection = (inspect: InspectEvent | undefined): Inspection => {
  if (!inspect) return noInspection
  const mismatches: Mismatch[] = []
  return {
    look: (...event) => {
      const found = inspect(...event)
      if (found) mismatches.push(mismatches.length < maxDetailed ? found : { ...found, detail: '' })
    },
    result: () => ({ mismatches }),
  }
}

const noInspection: Inspection = { look: () => {}, result: () => ({}) }
