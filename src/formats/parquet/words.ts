/** The words of parquet.thrift, in the order of their numbers; undefined where a number was never given, or is no more. */

export const physicalTypes = [
  'BOOLEAN',
  'INT32',
  'INT64',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'BYTE_ARRAY',
  'FIXED_LEN_BYTE_ARRAY',
] as const
export type PhysicalType = (typeof physicalTypes)[number]

export const repetitions = ['required', 'optional', 'repeated'] as const
export type Repetition = (typeof repetitions)[number]

export const convertedTypes = [
  'UTF8',
  'MAP',
  'MAP_KEY_VALUE',
  'LIST',
  'ENUM',
  'DECIMAL',
  'DATE',
  'TIME_MILLIS',
  'TIME_MICROS',
  'TIMESTAMP_MILLIS',
  'TIMESTAMP_MICROS',
  'UINT_8',
  'UINT_16',
  'UINT_32',
  'UINT_64',
  'INT_8',
  'INT_16',
  'INT_32',
  'INT_64',
  'JSON',
  'BSON',
  'INTERVAL',
] as const
export type ConvertedType = (typeof convertedTypes)[number]

export const parquetCodecNames = ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'LZO', 'BROTLI', 'LZ4', 'ZSTD', 'LZ4_RAW']

export const encodingNames = [
  'PLAIN',
  '1',
  'PLAIN_DICTIONARY',
  'RLE',
  'BIT_PACKED',
  'DELTA_BINARY_PACKED',
  'DELTA_LENGTH_BYTE_ARRAY',
  'DELTA_BYTE_ARRAY',
  'RLE_DICTIONARY',
  'BYTE_STREAM_SPLIT',
]

/** The word of a number; the number if it has no word, and `none` if the file has something else in its place. */
export const toWord = (words: readonly string[], number: number | undefined): string =>
  number === undefined ? 'none' : (words[number] ?? String(number))
