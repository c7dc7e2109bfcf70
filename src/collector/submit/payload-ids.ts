/**
 * The ids that events have in their payloads (`collector.event-ids.path`), where their way in gives them none. Bodies are
 * read once more for them: nothing of this runs without the setting.
 */
import { FormatError } from '../../errors.ts'
import { decodeEvents } from '../../spool/events/decode-events.ts'
import { memberAt, toId } from '../doors/door-events.ts'
import type { Parsed } from '../parsed.ts'
import type { WorkSteps } from '../work-turns.ts'

/** @param path a member of the payload, or one within a member (`a.b`); texts and whole numbers are ids */
export function* withPayloadIds(parsed: Parsed, path: string): WorkSteps<Parsed> {
  const { ids: given = [], events } = parsed
  const isComplete = events.every((_, i) => given[i] !== undefined)
  // Payloads of Thrift have no names.
  if (isComplete || parsed.format === 'thrift') return parsed
  const ids = events.map((_, i) => given[i])
  let at = 0
  try {
    for (const event of decodeEvents(parsed)) {
      if (event.kind === 'smile') ids[at] ??= idOf(memberAt(event.payload, path))
      at++
      yield
    }
  } catch (error) {
    // Events were accepted as they are: what cannot be read of them is set aside later.
    if (!(error instanceof FormatError)) throw error
  }
  return { ...parsed, ids }
}

const idOf = (value: unknown): string | undefined => {
  const isWhole = Number.isSafeInteger(value) || typeof value === 'bigint'
  return toId(isWhole ? String(value) : value)
}
