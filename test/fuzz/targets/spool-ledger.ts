import { encodeHeader } from '../../../src/spool/framing/format-header.ts'
import { toFrame } from '../../../src/spool/framing/framing.ts'
import type { LedgerEntry } from '../../../src/spool/ledger/ledger-entry.ts'
import { createLedgerState } from '../../../src/spool/ledger/ledger-state.ts'
import { toSnapshot } from '../../../src/spool/ledger/to-snapshot.ts'
import { createSpoolDisk, passThrough, unlessUnknown } from '../spool-world.ts'
import * as segment from './spool-segment.ts'

/** A start on a spool whose ledger is the input; a segment and a sealed file are beside it, and its id is damaged, too. */
export const name = 'spool-ledger'

const fileName = `20260102T030405.000Z-${'0'.repeat(32)}-1-0.jsonl`

export const entries: readonly LedgerEntry[] = [
  ...toSnapshot(createLedgerState(true)),
  {
    type: 'closed',
    segment: 2,
    events: 1,
    keys: [{ key: 'c', fingerprint: 'f', outcome: { accepted: 1, rejected: 0, errors: [] }, at: 1 }],
  },
  { type: 'end', segment: 2, end: 40 },
  {
    type: 'sealed',
    segment: 1,
    files: [
      {
        name: fileName,
        directory: '/events/Hello/2026/01/02/03',
        segment: 1,
        format: 'jsonl',
        codec: 'none',
        kind: 'smile',
        length: 5,
        crc: 1,
        events: 1,
        oldest: 1,
      },
    ],
    keys: [{ key: 'k', fingerprint: 'f', outcome: { accepted: 1, rejected: 0, errors: [] }, at: 1 }],
    damage: [{ file: 'segment-1-9.damaged', bytes: 1, events: 0, reason: 'r' }],
  },
  { type: 'moving', name: fileName, temporary: '/events/_tmp/x/1' },
  { type: 'committed', name: fileName, at: 2 },
  { type: 'quarantined', name: fileName, reason: 'refused' },
  { type: 'resolved', file: 'segment-1-9.damaged' },
  { type: 'flush', enabled: false },
]

const toBytes = (entry: LedgerEntry): Uint8Array => toFrame(1, Buffer.from(JSON.stringify(entry)))

export const corpus = (): Uint8Array[] => [
  Buffer.concat([encodeHeader('ledger'), ...entries.map(toBytes)]),
  Buffer.concat(entries.slice(0, 4).map(toBytes)),
  ...entries.slice(0, 4).map(toBytes),
]

const [log = new Uint8Array()] = segment.corpus()

/** No ledger keeps the spool from starting, but one that another version wrote. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const disk = await createSpoolDisk({
    id: bytes.subarray(0, 33),
    ledger: bytes,
    'log/0000000002.log': log,
    [`sealed/${fileName}`]: Buffer.from('{"eventName":"a","payload":{}}\n'),
  })
  await unlessUnknown(disk, passThrough)
}
