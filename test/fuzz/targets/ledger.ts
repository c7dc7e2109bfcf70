import { UnknownFormat } from '../../../src/spool/framing/format-header.ts'
import { toFrame } from '../../../src/spool/framing/framing.ts'
import { readLedger } from '../../../src/spool/ledger/ledger.ts'
import { parseEntry } from '../../../src/spool/ledger/ledger-entry.ts'
import { applyEntry, createLedgerState, type LedgerState } from '../../../src/spool/ledger/ledger-state.ts'
import { toSnapshot } from '../../../src/spool/ledger/to-snapshot.ts'
import { toWords } from '../words.ts'
import * as start from './spool-ledger.ts'

/** The spool's ledger as a file, and the payload of one frame whose checksum fits; `spool-ledger` starts on one. */
export const name = 'ledger'

export const dictionary = toWords(`
  { } [ ] , : null 1e999 -1 "type":" "snapshot" "sealed" "moving" "committed" "quarantined" "requeued" "removed"
  "resolved" "flush" "closed" "damaged" "end" "name": "files":[ "keys":[ "damage":[ "ends":[ "segment": "events":
  "state":{ "at":" "since": "__proto__" "constructor"
`)

export const corpus = (): Uint8Array[] => [
  ...start.corpus(),
  ...start.entries.map(entry => Buffer.from(JSON.stringify(entry))),
]

/** No bytes keep it from being read, but those of another version; what was read stays as it is when it is written and read again. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  await check(bytes)
  await check(toFrame(1, bytes))
}

const unlessUnknown = (error: unknown): undefined => {
  if (!(error instanceof UnknownFormat)) throw error
}

const check = async (bytes: Uint8Array): Promise<void> => {
  const state = await readLedger({
    stream: async function* () {
      yield bytes
    },
  }).catch(unlessUnknown)
  if (!state) return
  const snapshot = toTexts(state)
  const again = createLedgerState(true)
  for (const text of snapshot) {
    const entry = parseEntry(Buffer.from(text))
    applyEntry(again, entry)
  }
  const [first, second] = [snapshot.join('\n'), toTexts(again).join('\n')]
  if (second !== first) throw new Error(`${first.slice(0, 200)} is read as ${second.slice(0, 200)}`)
}

const toTexts = (state: LedgerState): string[] => Array.from(toSnapshot(state), entry => JSON.stringify(entry))
