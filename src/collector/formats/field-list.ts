import { parseFieldListEvent } from '../parsers/thrift.ts'
import type { IntakeFormat } from './intake-format.ts'

/** The fields of one event as a bare Thrift struct, as old clients send it. */
export const fieldList: IntakeFormat = {
  api: 'POST_ThriftLegacy_API',
  mediaTypes: ['ning/*', 'application/octet-stream'],
  parameters: 'name-and-date',
  short: parseFieldListEvent,
  long: async (body, defaults) => parseFieldListEvent(body, defaults),
}
