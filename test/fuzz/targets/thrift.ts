import { readFileSync } from 'node:fs'
import { FormatError } from '../../../src/errors.ts'
import { readRecords } from '../../../src/formats/thrift/envelope-stream.ts'
import { checkFieldList, decodeFields, encodeFields } from '../../../src/formats/thrift/field-list.ts'
import { ThriftReader } from '../../../src/formats/thrift/reader.ts'

export const name = 'thrift'

/** Records, a field list of all types, and a struct of containers for `skip`. */
export const corpus = (): Uint8Array[] => [
  readFileSync(new URL('../../fixtures/thrift/spool-2fuu.thrift', import.meta.url)),
  Buffer.from(
    '0b000000000006737472696e6702000101030002010600030002080004000000040a0005000000000000000804000640091eb851eb851f00',
    'hex',
  ),
  Buffer.from(
    '0f00010b00000002000000016100000001620d00020b0800000001000000016b000000070e00030200000001010c00040000',
    'hex',
  ),
]

/** Every reading of the bytes ends in a value or a FormatError, and those that must agree do. */
export const run = (bytes: Uint8Array): void => {
  const end = tried(() => checkFieldList(bytes))
  const fields = tried(() => decodeFields(bytes))
  if ((end === undefined) !== (fields === undefined)) throw new Error('checkFieldList and decodeFields disagree')
  if (fields !== undefined && end !== undefined) {
    const written = encodeFields(fields)
    if (written.length !== end) throw new Error(`fields of ${end} bytes were written as ${written.length}`)
  }
  tried(() => new ThriftReader(bytes).skip(12))
  tried(() => {
    for (const record of readRecords(bytes)) tried(() => checkFieldList(record.payload))
  })
}

const tried = <T>(action: () => T): T | undefined => {
  try {
    return action()
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}
