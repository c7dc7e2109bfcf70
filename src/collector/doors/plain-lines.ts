/** JSON lines of plain objects, of which a parameter says the name: what log shippers send. */

import type { IntakeFormat } from '../formats/intake-format.ts'
import { json } from '../formats/json.ts'
import { createDoorFormat } from './door-format.ts'
import { ownOr } from './own-or.ts'

/** A body of which no line has an `eventName`; all others stay what they are. */
export const plainLines: IntakeFormat = ownOr(
  json,
  createDoorFormat({
    door: 'ndjson',
    api: json.api,
    mediaTypes: [],
    parameters: 'name-and-date',
    events: ({ name }) => ({ forms: { lines: true }, toHead: () => ({ name }) }),
  }),
)
