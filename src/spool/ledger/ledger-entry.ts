/**
 * An entry of the ledger is an object of JSON in a frame of type 1, and its `type` says what else is in it:
 *
 *     {"type":"opened","segment":1}
 *     {"type":"closed","segment":1,"events":2}
 *     {"type":"sealed","segment":1,"files":[…],"damage":[]}
 *     {"type":"moving","name":"20260102T030405.000Z-….smile","temporary":"/events/_tmp/…"}
 *     {"type":"committed","name":"20260102T030405.000Z-….smile","at":1767323045000}
 *
 * The types in `src/spool/ledger/ledger-entry.ts` have all of them, with each member. Unknown members are skipped,
 * unknown words are refused.
 */
import { codecNames } from '../../codecs/codecs.ts'
import type { KeptKey } from '../batch.ts'
import {
  type BucketFile,
  type FileRecord,
  type MadeAnew,
  outputFormats,
  type QuarantineMarks,
} from '../files/bucket-file.ts'
import { type Check, checks, unknownWord } from '../framing/check.ts'
import type { Damage } from './damage-list.ts'

/** What a start has to know of a segment. */
export type SegmentFacts = { readonly events: number }

/** The newest files of idempotency keys and of ids of events: none without keys, or if an earlier version wrote it. */
type NewestKeyFiles = { readonly keyFile?: number | undefined; readonly idFile?: number | undefined }

/** Idempotency keys as 0.1.0 kept them: newer versions have them in files of their own (`keys/`). */
type OldKeys = { readonly keys?: readonly KeptKey[] | undefined }

/** One step in the life of the spool, as the ledger keeps it. */
export type LedgerEntry =
  /** The segment takes events from now on: if its file is missing later, that has to be reported. */
  | { readonly type: 'opened'; readonly segment: number }
  /** The segment is whole and synced: a start needs no more than that, and leaves reading it to the sealer. */
  | ({ readonly type: 'closed'; readonly segment: number } & NewestKeyFiles & SegmentFacts & OldKeys)
  /** A failed write: nothing of the segment beyond `end` may ever be read. */
  | { readonly type: 'end'; readonly segment: number; readonly end: number }
  /** What a start could not make sense of, set aside in quarantine. */
  | { readonly type: 'damaged'; readonly damage: readonly Damage[] }
  /** The segment's events are now in these files, and its log file can go. */
  | {
      readonly type: 'sealed'
      readonly segment: number
      readonly files: readonly BucketFile[]
      readonly keys?: readonly KeptKey[] | undefined
      readonly damage: readonly Damage[]
    }
  /** Their files are on a machine that is lost: these segments, which were sealed, are sealed once more. */
  | { readonly type: 'reopened'; readonly segments: readonly number[] }
  /** The file is complete under this temporary path, and its RENAME to the final path may be sent from now on. */
  | { readonly type: 'moving'; readonly name: string; readonly temporary: string }
  /** The file is at its place; it is committed once a snapshot of its table has it. */
  | { readonly type: 'placed'; readonly name: string }
  | { readonly type: 'committed'; readonly name: string; readonly at: number }
  /** The file system refused it permanently. */
  | ({ readonly type: 'quarantined'; readonly name: string; readonly reason: string } & QuarantineMarks)
  /** Its RENAME had no answer, and the file is at neither path: its consumer may have it, or it may be lost. */
  | { readonly type: 'taken'; readonly name: string; readonly reason: string }
  /** To be sent again: out of quarantine or `_taken/`, or because what was sent is gone and was surely not renamed. */
  | { readonly type: 'requeued'; readonly name: string }
  /** The local copy of a committed file is gone. */
  | { readonly type: 'removed'; readonly name: string }
  /** An operator took care of a damaged piece in quarantine: it no longer counts. */
  | { readonly type: 'resolved'; readonly file: string }
  /** Of a damaged piece this is left. One entry: of two, a power cut may spare the first alone. */
  | { readonly type: 'replaced'; readonly file: string; readonly by: Damage }
  /** Of a snapshot: what was decided about for good of segments that may be sealed again. */
  | { readonly type: 'settled'; readonly names: readonly string[]; readonly pieces: readonly Damage[] }
  | { readonly type: 'flush'; readonly enabled: boolean }
  /** The spool takes no more events, and all that it holds goes to the file system; or it takes them again. */
  | { readonly type: 'drained'; readonly drained: boolean }
  /**
   * Everything so far, when the ledger is rewritten. Files and pieces follow in entries of their own; those of 0.1.0
   * are part of it.
   */
  | (NewestKeyFiles & {
      readonly type: 'snapshot'
      /** @default none: earlier versions have no such thing */
      readonly closed?: readonly (readonly [segment: number, events: number])[] | undefined
      /** @default none, as of 0.1.0 */
      readonly opened?: readonly number[] | undefined
      readonly ends: readonly (readonly [segment: number, end: number])[]
      readonly lastSealed: number
      readonly files: readonly FileRecord[]
      readonly keys?: readonly KeptKey[] | undefined
      readonly damage: readonly Damage[]
      readonly flushEnabled: boolean
      readonly flushedEvents: number
    })

  /** Some of the files of a snapshot; or one of which something else is to be known, such as a new name. */
  | { readonly type: 'files'; readonly files: readonly FileRecord[] }

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
  eventName: optional(text),
  targetName: optional(text),
})
const outcome = object<KeptKey['outcome']>({
  accepted: number,
  rejected: number,
  errors: list(object({ index: number, code: text, detail: text })),
})
const keys = optional(list(object<KeptKey>({ key: text, fingerprint: text, outcome, at: number })))
const piece = object<Damage>({
  file: text,
  bytes: number,
  events: number,
  reason: text,
  lost: optional(flag),
  torn: optional(flag),
  withheld: optional(flag),
  refused: optional(list(text)),
})
const damage = list(piece)
const marks = { nameTaken: optional(word(true)), tableGone: optional(word(true)) }

type State = FileRecord['state']
type StateAt<At extends State['at']> = Extract<State, { readonly at: At }>
const states: { readonly [At in State['at']]: Check<StateAt<At>> } = {
  sealed: object({ at: word('sealed') }),
  moving: object({
    at: word('moving'),
    temporary: text,
    anew: optional(object<MadeAnew>({ length: number, crc: number })),
  }),
  placed: object({ at: word('placed') }),
  committed: object({ at: word('committed'), since: number }),
  quarantined: object({ at: word('quarantined'), reason: text, ...marks }),
  taken: object({ at: word('taken'), reason: text }),
}
const state = (value: unknown): value is State => {
  const at = typeof value === 'object' && value !== null && 'at' in value ? value.at : undefined
  if (typeof at !== 'string') return false
  if (!Object.hasOwn(states, at)) throw unknownWord(at)
  return states[at as State['at']](value)
}
const files = list(object<FileRecord>({ file: bucketFile, state }))

type Entry<Type extends LedgerEntry['type']> = Extract<LedgerEntry, { readonly type: Type }>

const newestKeyFiles = { keyFile: optional(number), idFile: optional(number) }

/** What each type of entry holds. */
const entries: { readonly [Type in LedgerEntry['type']]: Check<Entry<Type>> } = {
  opened: object({ type: word('opened'), segment: number }),
  closed: object({ type: word('closed'), segment: number, events: number, ...newestKeyFiles, keys }),
  end: object({ type: word('end'), segment: number, end: number }),
  damaged: object({ type: word('damaged'), damage }),
  sealed: object({ type: word('sealed'), segment: number, files: list(bucketFile), keys, damage }),
  reopened: object({ type: word('reopened'), segments: list(number) }),
  moving: object({ type: word('moving'), name: text, temporary: text }),
  placed: object({ type: word('placed'), name: text }),
  committed: object({ type: word('committed'), name: text, at: number }),
  quarantined: object({ type: word('quarantined'), name: text, reason: text, ...marks }),
  taken: object({ type: word('taken'), name: text, reason: text }),
  requeued: object({ type: word('requeued'), name: text }),
  removed: object({ type: word('removed'), name: text }),
  resolved: object({ type: word('resolved'), file: text }),
  replaced: object({ type: word('replaced'), file: text, by: piece }),
  settled: object({ type: word('settled'), names: list(text), pieces: damage }),
  flush: object({ type: word('flush'), enabled: flag }),
  drained: object({ type: word('drained'), drained: flag }),
  files: object({ type: word('files'), files }),
  snapshot: object({
    type: word('snapshot'),
    closed: optional(list(pair(number, number))),
    opened: optional(list(number)),
    ...newestKeyFiles,
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
 * @throws UnknownWord for a type, a state or another word that only a later version knows; SyntaxError, TypeError when it is
 * not an entry
 */
export const parseEntry = (payload: Uint8Array): LedgerEntry => {
  const value: unknown = JSON.parse(new TextDecoder().decode(payload))
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  if (typeof type !== 'string') throw new TypeError('An entry of the ledger has no type')
  if (!Object.hasOwn(entries, type)) throw unknownWord(type)
  const isEntry: Check<LedgerEntry> = entries[type as LedgerEntry['type']]
  if (isEntry(value)) return value
  throw new TypeError(`An entry "${type}" of the ledger is not whole`)
}
