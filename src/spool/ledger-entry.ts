import { z } from 'zod'
import { codecNames } from '../codecs/codecs.ts'
import { type LedgerEntry, outputFormats } from './ledger-state.ts'

const bucketFile = z.looseObject({
  name: z.string(),
  directory: z.string(),
  segment: z.number(),
  format: z.enum(outputFormats),
  codec: z.enum(codecNames),
  kind: z.enum(['smile', 'thrift']),
  length: z.number(),
  crc: z.number(),
  events: z.number(),
  oldest: z.number(),
})
const outcome = z.looseObject({
  accepted: z.number(),
  rejected: z.number(),
  errors: z.array(z.looseObject({ index: z.number(), code: z.string(), detail: z.string() })),
})
const keys = z.array(z.looseObject({ key: z.string(), fingerprint: z.string(), outcome, at: z.number() }))
const damage = z.array(z.looseObject({ file: z.string(), bytes: z.number(), events: z.number(), reason: z.string() }))
const state = z.discriminatedUnion('at', [
  z.looseObject({ at: z.literal('sealed') }),
  z.looseObject({ at: z.literal('moving'), temporary: z.string() }),
  z.looseObject({ at: z.literal('committed'), since: z.number() }),
  z.looseObject({ at: z.literal('quarantined'), reason: z.string() }),
])
const numbers = z.array(z.tuple([z.number(), z.number()]))

/** What each type of entry holds. Members that a later version added are kept. */
const entries = {
  closed: z.looseObject({ type: z.literal('closed'), segment: z.number(), events: z.number(), keys }),
  end: z.looseObject({ type: z.literal('end'), segment: z.number(), end: z.number() }),
  damaged: z.looseObject({ type: z.literal('damaged'), damage }),
  sealed: z.looseObject({
    type: z.literal('sealed'),
    segment: z.number(),
    files: z.array(bucketFile),
    keys,
    damage,
  }),
  moving: z.looseObject({ type: z.literal('moving'), name: z.string(), temporary: z.string() }),
  committed: z.looseObject({ type: z.literal('committed'), name: z.string(), at: z.number() }),
  quarantined: z.looseObject({ type: z.literal('quarantined'), name: z.string(), reason: z.string() }),
  requeued: z.looseObject({ type: z.literal('requeued'), name: z.string() }),
  removed: z.looseObject({ type: z.literal('removed'), name: z.string() }),
  resolved: z.looseObject({ type: z.literal('resolved'), file: z.string() }),
  flush: z.looseObject({ type: z.literal('flush'), enabled: z.boolean() }),
  snapshot: z.looseObject({
    type: z.literal('snapshot'),
    closed: numbers.exactOptional(),
    ends: numbers,
    lastSealed: z.number(),
    files: z.array(z.looseObject({ file: bucketFile, state })),
    keys,
    damage,
    flushEnabled: z.boolean(),
    flushedEvents: z.number(),
  }),
} satisfies { readonly [Type in LedgerEntry['type']]: z.ZodType<Extract<LedgerEntry, { readonly type: Type }>> }

const typed = z.looseObject({ type: z.string() })

/**
 * An entry of the ledger, whole: one that holds half of what its type needs must not be applied by half.
 * @returns undefined for a type that only a later version knows
 * @throws SyntaxError, ZodError when it is no entry
 */
export const parseEntry = (payload: Uint8Array): LedgerEntry | undefined => {
  const value: unknown = JSON.parse(new TextDecoder().decode(payload))
  const { type } = typed.parse(value)
  return Object.hasOwn(entries, type) ? entries[type as LedgerEntry['type']].parse(value) : undefined
}
