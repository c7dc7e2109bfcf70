import type { MatchesFields } from '../collector/live/looker.ts'
import { FormatError, SluiceError } from '../errors.ts'
import { toRow } from '../rows/row.ts'
import { parseWhere } from '../rows/where/where.ts'

/**
 * Reads what somebody looks for in the fields of live events, in the language of the gateway's `where`.
 * @throws SluiceError `bad-parameter`: what was expected at which character
 */
export const parseLiveWhere = (text: string): MatchesFields => {
  try {
    const where = parseWhere(text)
    return fields => where.matches(toRow(fields))
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    throw new SluiceError('bad-parameter', error.message, { cause: error })
  }
}
