import { parseSmileEvents } from '../parsers/smile.ts'
import { runAtOnce, runInTurns } from '../work-turns.ts'
import type { IntakeFormat } from './intake-format.ts'

/** The values of JSON in Smile. */
export const smile: IntakeFormat = {
  api: 'POST_Smile_API',
  mediaTypes: ['application/json+smile', 'application/smile'],
  parameters: 'date',
  short: (body, defaults) => runAtOnce(parseSmileEvents(body, defaults)),
  long: (body, defaults, { turns, inspect }) => runInTurns(parseSmileEvents(body, defaults, inspect?.('smile')), turns),
}
