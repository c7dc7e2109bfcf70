import type { Disk } from '../../disk/disk.ts'
import type { Logger } from '../../log/log.ts'
import type { Invariant } from '../invariants/invariants.ts'
import type { KeyStore } from '../keys/key-store.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { isSealed } from '../ledger/ledger-state.ts'
import { syncSchemas } from '../parquet/schema-file.ts'
import type { KeptSchemaView } from '../parquet/schema-view.ts'
import type { SealResult } from './seal.ts'

export type NoteSealedOptions = {
  readonly disk: Pick<Disk, 'fsync'>
  readonly ledger: Ledger
  readonly keys: KeyStore
  /** Hears of columns once the ledger has the files with them. */
  readonly schemas: Pick<KeptSchemaView, 'note'>
  readonly now: () => number
  readonly log: Logger
  readonly invariant: Invariant
}

/** Makes what notes in the ledger how a segment was sealed; in the order of the segments. */
export const createNoteSealed =
  ({ disk, ledger, keys, schemas, now, log, invariant }: NoteSealedOptions) =>
  async (
    segment: number,
    { files, keys: found, damage, schemas: learned = [], hasLearned }: SealResult,
  ): Promise<void> => {
    for (const identity of found) keys.note(identity, identity.at)
    // The segment goes: its keys have to be safe without it. Those of one that the ledger saw closed are.
    if (!ledger.state.closed.has(segment)) await keys.flush()
    // Another thread has written it: the files must not be found without their columns.
    if (hasLearned) await syncSchemas(disk)
    await ledger.append({ type: 'sealed', segment, files, damage })
    const { state } = ledger
    // From here on its events are in the files alone.
    invariant(isSealed(state, segment), 'a segment goes once the ledger has its files', () => {
      return { segment, lastSealed: state.lastSealed }
    })
    schemas.note(learned, now())
    for (const { file, reason, lost, ...size } of damage) {
      const what = lost ? 'a segment is lost with its events' : 'damage set aside in quarantine'
      log.error({ file, ...size, reason }, what)
    }
  }
