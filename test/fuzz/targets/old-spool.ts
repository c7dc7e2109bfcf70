import { closeCut } from '../../../admin/cli/import/close-cut.ts'
import { parseWriterName } from '../../../admin/cli/import/old-spool.ts'
import { formatOf, readOldEvents, unpackOldFile } from '../../../admin/cli/import/read-events.ts'
import { decodeEvents } from '../../../src/spool/events/decode-events.ts'
import { lzf } from '../../unit/codecs/encoders.ts'
import { tried } from '../tried.ts'
import * as envelopes from './envelope-stream.ts'
import * as events from './events.ts'

/** Files of the predecessor's spool, as `spool import` reads them. */
export const name = 'old-spool'

export const dictionary = [...events.dictionary, ...envelopes.dictionary, 'ZV', Uint8Array.of(0x3a, 0x29, 0x0a, 0x03)]

export const corpus = (): Uint8Array[] => [
  ...events.corpus(),
  ...envelopes.corpus(),
  ...[...events.corpus(), ...envelopes.corpus()].slice(0, 9).map(bytes => lzf(bytes)),
  Buffer.from('host-8080-a1b2-2011-05-03T21.56.34.698.Hello.World.smile'),
]

const defaults = { eventName: 'Hello', createdAt: 1_304_459_794_698 }

/** What it takes of a file can be stored, whatever damage lies between. */
export const run = (bytes: Uint8Array): void => {
  parseWriterName(Buffer.from(bytes).toString('utf8'))
  const plain = tried(() => unpackOldFile(bytes))
  if (!plain) return
  const format = formatOf(plain, 'thrift')
  if (!format) return
  for (const item of readOldEvents(closeCut(plain, format), format, defaults)) {
    if (item.kind === 'unreadable') continue
    const kept = [...decodeEvents(item.batch)]
    if (kept.length !== item.batch.events.length)
      throw new Error(`${kept.length} of ${item.batch.events.length} events`)
  }
}
