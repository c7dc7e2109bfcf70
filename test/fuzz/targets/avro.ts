import { AvroReader } from '../../../src/formats/avro/reader.ts'
import { parseAvroSchema } from '../../../src/formats/avro/schema.ts'

export const name = 'avro'

const schema = parseAvroSchema(
  JSON.stringify({
    type: 'record',
    name: 'R',
    fields: [
      { name: 'id', type: 'long' },
      { name: 's', type: ['null', 'string'] },
      { name: 'n', type: { type: 'array', items: 'null' } },
      { name: 'm', type: { type: 'map', values: { type: 'bytes', logicalType: 'decimal', scale: 2 } } },
      { name: 'next', type: ['null', 'R'] },
    ],
  }),
)

export const corpus = (): Uint8Array[] => [
  Buffer.from('5402046162040001010e046b02020700000254000000', 'hex'),
  Buffer.from('ffffffffffffffffff01000080808010000000', 'hex'),
]

/** No count makes more values than there are bytes for. */
export const run = (bytes: Uint8Array): void => {
  const reader = new AvroReader(Buffer.from(bytes))
  while (reader.position < bytes.length) reader.value(schema)
}
