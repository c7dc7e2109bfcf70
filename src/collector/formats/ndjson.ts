import { plainLines } from '../doors/plain-objects.ts'
import type { IntakeFormat } from './intake-format.ts'
import { json } from './json.ts'

/** JSON lines are read as JSON is; with a `name`, lines of plain objects are events of that name. */
export const ndjson: IntakeFormat = { ...json, mediaTypes: ['application/x-ndjson'], named: plainLines }
