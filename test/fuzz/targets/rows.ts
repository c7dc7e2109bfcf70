import { gzipSync } from 'node:zlib'
import { FormatError } from '../../../src/errors.ts'
import { createSmileWriter } from '../../../src/formats/smile/writer.ts'
import { encodeRecord } from '../../../src/formats/thrift/envelope-stream.ts'
import { encodeFields } from '../../../src/formats/thrift/field-list.ts'
import { buildSequenceFile, toTextValue } from '../../unit/formats/sequence-file/versions.ts'
import { collect, openBytes } from '../../unit/rows/files.ts'

export const name = 'rows'

const suffixes = ['txt', 'json', 'csv', 'smile', 'thrift', 'bz2', 'lz4', 'snappy', '']

const smile = (): Uint8Array => {
  const writer = createSmileWriter()
  writer.startArray()
  writer.write({ eventName: 'a', payload: { b: [1, { c: 'text' }], d: 0.5 } })
  writer.write({ eventName: 'a', payload: { b: 'text' } })
  writer.endArray()
  return writer.take()
}

/** The first byte picks the suffix of the name. */
export const corpus = (): Uint8Array[] =>
  [
    Buffer.from('a\tb\nc\r\nd'),
    Buffer.from('{"a":1}\n{"b":[1,{"c":null}]}\n[{"d":1.0}]'),
    Buffer.from('x,"y ""z"\n1,"2\n3"\n'),
    smile(),
    encodeRecord({ date: 1, granularity: 'HOURLY', typeName: 'E', payload: encodeFields([]) }),
    buildSequenceFile([toTextValue('a\tb'), toTextValue('')], { compression: 'none' }),
    gzipSync(Buffer.from('line\nline\n')),
    Buffer.from('04224d18604073000000000000', 'hex'),
  ].map((bytes, i) => Buffer.concat([Buffer.from([i]), bytes]))

/** Every file is rows and then, at most, a known error. */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const suffix = suffixes[(bytes[0] ?? 0) % suffixes.length] ?? ''
  const { error } = await collect(await openBytes(`file.${suffix}`, bytes.subarray(1)))
  if (error && !(error instanceof FormatError)) throw error
}
