import { AvroReader } from '../../../src/formats/avro/reader.ts'
import { parseAvroSchema } from '../../../src/formats/avro/schema.ts'
import { Budget } from '../../../src/formats/budget.ts'
import { toRowLimits } from '../../../src/rows/limits.ts'

/** Values of a schema with all that nests; one in sixteen inputs has one whose items take no bytes. */
export const name = 'avro'

const toSchema = (items: string) =>
  parseAvroSchema(
    JSON.stringify({
      type: 'record',
      name: 'R',
      fields: [
        { name: 'id', type: 'long' },
        { name: 's', type: ['null', 'string'] },
        { name: 'n', type: { type: 'array', items } },
        { name: 'm', type: { type: 'map', values: { type: 'bytes', logicalType: 'decimal', scale: 2 } } },
        { name: 'next', type: ['null', 'R'] },
      ],
    }),
  )

const schema = toSchema('int')
const emptySchema = toSchema('null')

export const corpus = (): Uint8Array[] => [
  Buffer.from('00025402046162040001010e046b02020700000254000000', 'hex'),
  Buffer.from('10025402046162040e046b02020700000254000000', 'hex'),
  Buffer.from('00ffffffffffffffffff01000080808010000000', 'hex'),
]

const limits = toRowLimits(0)

/** No count makes more values than there may be. The first byte picks the schema. */
export const run = (bytes: Uint8Array): void => {
  const reader = new AvroReader(Buffer.from(bytes.subarray(1)), new Budget('avro', limits))
  const chosen = (bytes[0] ?? 0) % 16 === 0 ? emptySchema : schema
  while (reader.position < bytes.length - 1) reader.value(chosen)
}
