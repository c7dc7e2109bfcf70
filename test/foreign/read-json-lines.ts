import { type Envelope, fromEnvelope } from './envelope.ts'
import type { FoundEvent } from './found-event.ts'

/** A `.jsonl` file, read by the engine's own parser, whose revivers see the digits of a number. */
export const readJsonLines = (bytes: Uint8Array): readonly FoundEvent[] => {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  if (text !== '' && !text.endsWith('\n')) throw new Error('The last line does not end')
  const lines = text.split('\n').slice(0, -1)
  return lines.map(line => fromEnvelope(parseWith(line, exactInteger) as Envelope))
}

/** Revivers see the text of a number; the types of TypeScript do not know that yet. */
type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown

const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown

const exactInteger: Reviver = (_name, value, { source = '' }) => (/^-?\d{16,}$/.test(source) ? BigInt(source) : value)
