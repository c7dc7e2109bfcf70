import type { FoundEvent } from './found-event.ts'

/** An event of a JSON or Smile file. */
export type Envelope = { readonly eventName: string; readonly payload: Readonly<Record<string, unknown>> }

export const fromEnvelope = ({ eventName, payload }: Envelope): FoundEvent => ({
  name: eventName,
  fields: Object.entries(payload),
})
