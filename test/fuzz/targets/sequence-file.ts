import { deflateSync } from 'node:zlib'
import { readSequenceFile } from '../../../src/formats/sequence-file/reader.ts'
import { buildSequenceFile, toTextValue } from '../../unit/formats/sequence-file/versions.ts'

export const name = 'sequence-file'

const values = ['a\tb', '', 'some longer text, longer than that', 'x'.repeat(200)].map(toTextValue)

export const corpus = (): Uint8Array[] => [
  buildSequenceFile(values),
  buildSequenceFile(values, { version: 1 }),
  buildSequenceFile(values, { version: 4, compression: 'record', compress: deflateSync }),
  buildSequenceFile(values, { compression: 'block', compress: deflateSync, run: 2 }),
]

/** Records lie within the file, or within what its buffers unfold into, which has a limit. */
export const run = (bytes: Uint8Array): void => {
  for (const { key, value } of readSequenceFile(bytes)) {
    if (key.length + value.length > 1 << 27) throw new Error('a record beyond the limit')
  }
}
