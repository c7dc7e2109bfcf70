import { codecNames } from '../codecs/codecs.ts'
import { type Check, checks } from './check.ts'
import {
  type BucketFile,
  type Damage,
  type FileRecord,
  type KeptKey,
  type LedgerEntry,
  outputFormats,
} from './ledger-state.ts'

const { text, number, flag, list, object, oneOf, optional, pair, word } = checks

const bucketFile = object<BucketFile>({
  name: text,
  directory: text,
  segment: number,
  format: oneOf(outputFormats),
  codec: oneOf(codecNames),
  kind: oneOf(['smile', 'thrift']),
  length: number,
  crc: number,
  events: number,
  oldest: number,
})
const outcome = object<KeptKey['outcome']>({
  accepted: number,
  rejected: number,
  errors: list(object({ index: number, code: text, detail: text })),
})
const keys = optional(list(object<KeptKey>({ key: text, fingerprint: text, outcome, at: number })))
const damage = list(object<Damage>({ file: text, bytes: number, events: number, reason: text, lost: optional(flag) }))

type State = FileRecord['state']
type StateAt<At extends State['at']> = Extract<State, { readonly at: At }>
const states: { readonly [At in State['at']]: Check<StateAt<At>> } = {
  sealed: object({ at: word('sealed') }),
  moving: object({ at: word('moving'), temporary: text }),
  committed: object({ at: word('committed'), since: number }),
  quarantined: object({ at: word('quarantined'), reason: text }),
  taken: object({ at: word('taken'), reason: text }),
}
const state = (value: unknown): value is State => {
  const at = typeof value === 'object' && value !== null && 'at' in value ? value.at : undefined
  return typeof at === 'string' && Object.hasOwn(states, at) && states[at as State['at']](value)
}
const files = list(object<FileRecord>({ file: bucketFile, state }))

type Entry<Type extends LedgerEntry['type']> = Extract<LedgerEntry, { readonly type: Type }>

/** What each type of entry holds. */
const entries: { readonly [Type in LedgerEntry['type']]: Check<Entry<Type>> } = {
  opened: object({ type: word('opened'), segment: number }),
  closed: object({ type: word('closed'), segment: number, events: number, keys }),
  end: object({ type: word('end'), segment: number, end: number }),
  damaged: object({ type: word('damaged'), damage }),
  sealed: object({ type: word('sealed'), segment: number, files: list(bucketFile), keys, damage }),
  moving: object({ type: word('moving'), name: text, temporary: text }),
  committed: object({ type: word('committed'), name: text, at: number }),
  quarantined: object({ type: word('quarantined'), name: text, reason: text }),
  taken: object({ type: word('taken'), name: text, reason: text }),
  requeued: object({ type: word('requeued'), name: text }),
  removed: object({ type: word('removed'), name: text }),
  resolved: object({ type: word('resolved'), file: text }),
  flush: object({ type: word('flush'), enabled: flag }),
  files: object({ type: word('files'), files }),
  snapshot: object({
    type: word('snapshot'),
    closed: optional(list(pair(number, number))),
    opened: optional(list(number)),
    ends: list(pair(number, number)),
    lastSealed: number,
    files,
    keys,
    damage,
    flushEnabled: flag,
    flushedEvents: number,
  }),
}

/**
 * An entry of the ledger, whole: one that holds half of what its type needs must not be applied by half.
 * @returns undefined for a type that only a later version knows
 * @throws SyntaxError, TypeError when it is no entry
 */
export const parseEntry = (payload: Uint8Array): LedgerEntry | undefined => {
  const value: unknown = JSON.parse(new TextDecoder().decode(payload))
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  if (typeof type !== 'string') throw new TypeError('An entry of the ledger has no type')
  if (!Object.hasOwn(entries, type)) return undefined
  const isEntry: Check<LedgerEntry> = entries[type as LedgerEntry['type']]
  if (isEntry(value)) return value
  throw new TypeError(`An entry "${type}" of the ledger is not whole`)
}
