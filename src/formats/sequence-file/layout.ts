/**
 * A Hadoop SequenceFile. The collector of 2010 wrote version 6 in blocks with DefaultCodec (zlib).
 *
 *     53 45 51 06                    "SEQ", version: 1 to 6
 *     text key class, text value class                       text: vint length, UTF-8 (before 4: length of two bytes)
 *     compressed:1                   from 3 on
 *     blocks:1                       from 4 on
 *     text codec class               from 5 on, when compressed; before it is DefaultCodec
 *     count:4                        from 6 on: pairs of metadata; text key, text value each
 *     sync:16                        from 2 on: a mark of this file's own
 *     record* or block*
 *
 *     length:4 keyLength:4 key value                         length of both; the value may be compressed by itself
 *
 *     ff ff ff ff sync:16            before every block, and now and then before a record
 *     vint count                     records in the block
 *     4 times vint length, bytes     key lengths (vints), keys, value lengths (vints), values; compressed each
 */

export const magic = Uint8Array.of(0x53, 0x45, 0x51)
export const version = 6
export const syncBytes = 16
export const defaultCodecClass = 'org.apache.hadoop.io.compress.DefaultCodec'

/** Keys and values of the collector's files; their bytes are `trueKey`, `encodeEnvelope` and `encodeSmileValue`. */
export const classNames = {
  key: 'com.ning.metrics.serialization.thrift.hadoop.TBooleanWritable',
  thriftEnvelope: 'com.ning.metrics.serialization.thrift.ThriftEnvelope',
  smile: 'com.ning.metrics.serialization.smile.SmileOutputStream',
} as const

/** TBooleanWritable(true), the key of every record: a Thrift struct whose field 1 is a true bool. */
export const trueKey = Uint8Array.of(2, 0, 1, 1, 0)

/**
 * A value of class {@link classNames}.smile: `length:4 name document`, the name in ISO-8859-1. The old readers take the
 * rest of the block as the document, so such a value needs a block of its own (`endBlock`).
 * RangeError when the name has a character beyond U+00FF.
 */
export const encodeSmileValue = (name: string, document: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(4 + name.length + document.length)
  new DataView(bytes.buffer).setInt32(0, name.length)
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if (code > 0xff)
      throw new RangeError(`Cannot write the name "${name}" in ISO-8859-1: character ${i} is beyond U+00FF`)
    bytes[4 + i] = code
  }
  bytes.set(document, 4 + name.length)
  return bytes
}
