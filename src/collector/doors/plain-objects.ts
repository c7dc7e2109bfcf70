/** JSON of plain objects, of which a parameter says the name: what log shippers send. */
import type { IntakeFormat } from '../formats/intake-format.ts'
import { json } from '../formats/json.ts'
import { createDoorFormat } from './door-format.ts'
import type { DoorForms } from './find-events.ts'
import { ownOr } from './own-or.ts'

/** Bodies without any `eventName`; all others stay what they are. */
const createPlainFormat = (forms: DoorForms): IntakeFormat =>
  ownOr(
    json,
    createDoorFormat({
      door: 'ndjson',
      api: json.api,
      mediaTypes: [],
      parameters: 'name-and-date',
      events: ({ name }) => ({ forms, toHead: () => ({ name }) }),
    }),
  )

/** One in each line: a damaged one is refused alone. */
export const plainLines = createPlainFormat({ lines: true })

/** An array, or one after the other. */
export const plainObjects = createPlainFormat({ array: true, sequence: true })
