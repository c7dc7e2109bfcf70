import { zstdCompressSync } from 'node:zlib'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'

const rowsPerGroup = 16_384

const optional = { repetition_type: 'OPTIONAL' } as const
const text = { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
const columns = {
  eventDate: { ...optional, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  host: text,
  path: text,
  referrer: text,
  visitor: text,
  memberId: { ...optional, type: 'INT64' },
  isMember: { ...optional, type: 'BOOLEAN' },
  loadMs: { ...optional, type: 'DOUBLE' },
  note: text,
} as const
const list = [
  { ...optional, name: 'tags', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { ...text, name: 'element' },
] as const

type Payload = { readonly [name: string]: unknown }

/** One Parquet file of all events, parsed by `JSON.parse`; its columns are named here, and nothing else is done with them. */
export const writeBareParquet = async (texts: readonly string[]): Promise<void> => {
  const writer = new ByteWriter()
  const names = Object.keys(columns)
  const file = new ParquetWriter({
    writer,
    schema: [
      { name: 'event', num_children: names.length + 1 },
      ...Object.entries(columns).map(([name, element]) => ({ ...element, name })),
      ...list,
    ],
    codec: 'ZSTD',
    compressors: { ZSTD: bytes => zstdCompressSync(bytes) },
  })
  for (let at = 0; at < texts.length; at += rowsPerGroup) {
    const payloads = texts
      .slice(at, at + rowsPerGroup)
      .map(event => (JSON.parse(event) as { payload: Payload }).payload)
    const column = (name: string) => ({
      name,
      data: payloads.map(payload =>
        name === 'eventDate' || name === 'memberId' ? BigInt(Number(payload[name])) : payload[name],
      ),
    })
    await file.write({ columnData: [...names, 'tags'].map(column), rowGroupSize: rowsPerGroup })
  }
  await file.finish()
}
