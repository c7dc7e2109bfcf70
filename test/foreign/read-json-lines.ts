import { fromEnvelope } from './envelope.ts'
import { parseExactJson } from './exact-json.ts'
import type { FoundEvent } from './found-event.ts'

/** A `.jsonl` file. */
export const readJsonLines = (bytes: Uint8Array): readonly FoundEvent[] => {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  if (text !== '' && !text.endsWith('\n')) throw new Error('The last line does not end')
  const lines = text.split('\n').slice(0, -1)
  return lines.map(line => toFound(parseExactJson(line) as Line))
}

/** An envelope, or a payload with its event's name. */
type Line = Readonly<Record<string, unknown>> & { readonly eventName: string }

/** Payloads have a date and a granularity beside the name. */
const toFound = ({ eventName, ...rest }: Line): FoundEvent => {
  const names = Object.keys(rest)
  return fromEnvelope({ eventName, payload: names.length === 1 && isPayload(rest['payload']) ? rest['payload'] : rest })
}

const isPayload = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
