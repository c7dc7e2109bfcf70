import { parseEnvelopeEvents } from '../parsers/thrift.ts'
import { runAtOnce, runInTurns } from '../work-turns.ts'
import { fieldList } from './field-list.ts'
import type { IntakeFormat } from './intake-format.ts'

/** Thrift envelopes one after another. With a `name` it is a bare struct: its first byte could be either, and does not decide. */
export const envelopeStream: IntakeFormat = {
  api: 'POST_Thrift_API',
  mediaTypes: ['application/thrift'],
  parameters: 'none',
  named: { ...fieldList, api: 'POST_Thrift_API' },
  short: (body, defaults) => runAtOnce(parseEnvelopeEvents(body, defaults)),
  long: (body, defaults, { turns, inspect }) =>
    runInTurns(parseEnvelopeEvents(body, defaults, inspect?.('thrift')), turns),
}
