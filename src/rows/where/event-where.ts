import { FormatError, LimitError, SluiceError } from '../../errors.ts'
import type { Value } from '../../formats/number.ts'
import { toRow } from '../row.ts'
import { parseWhere } from './where.ts'

/** Steps of one filter on one event: about 3 ms at the worst, in the process that takes events. */
const maxEventSteps = 2 ** 18

/** A condition on the fields of events. */
export type EventWhere = {
  /** Whether the fields match; undefined where that takes too long to say. */
  matches(fields: Readonly<Record<string, Value>>): boolean | undefined
  readonly problem: string | undefined
}

/**
 * Reads a condition on the fields of events, in the language of the gateway's `where`.
 * @throws SluiceError `bad-parameter`: what was expected at which character
 */
export const parseEventWhere = (text: string): EventWhere => {
  try {
    const where = parseWhere(text, maxEventSteps)
    return {
      matches: fields => {
        try {
          return where.matches(toRow(fields))
        } catch (error) {
          if (error instanceof LimitError) return undefined
          throw error
        }
      },
      get problem() {
        return where.fields.problem
      },
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new SluiceError('bad-parameter', error.message, { cause: error })
  }
}
