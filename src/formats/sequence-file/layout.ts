/**
 * A Hadoop SequenceFile, version 6, block compression, DefaultCodec (zlib), as the collector of 2010 wrote it.
 *
 *     53 45 51 06                    "SEQ", version
 *     text key class, text value class                       text: vint length, UTF-8
 *     01 01                          compressed, in blocks
 *     text codec class
 *     count:4                        pairs of metadata, 0 here; text key, text value each
 *     sync:16                        a mark of this file's own
 *     block*
 *
 *     ff ff ff ff sync:16            before every block
 *     vint count                     records in the block
 *     4 times vint length, zlib      key lengths (vints), keys, value lengths (vints), values
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
