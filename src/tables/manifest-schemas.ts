/**
 * Avro schemas of manifests and of lists of them (Iceberg specification, "Manifests" and "Manifest Lists"), format
 * version 2. Readers go by the field ids; a map whose keys are numbers is an array of records.
 */
import type { PartitionField } from './metadata.ts'
import { toAvroName } from './partition-record.ts'

type Avro = { readonly [name: string]: unknown }

const required = (id: number, name: string, type: unknown): Avro => ({ name, type, 'field-id': id })
const optional = (id: number, name: string, type: unknown): Avro => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
})

const mapOf = (keyId: number, valueId: number, value: string): Avro => ({
  type: 'array',
  logicalType: 'map',
  items: {
    type: 'record',
    name: `k${keyId}_v${valueId}`,
    fields: [required(keyId, 'key', 'int'), required(valueId, 'value', value)],
  },
})

const listOf = (id: number, element: string): Avro => ({ type: 'array', 'element-id': id, items: element })

/** Of a manifest. @param partition the fields that its files are put apart by: hours, which are integers */
export const toEntrySchema = (partition: readonly PartitionField[]): Avro => ({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    required(0, 'status', 'int'),
    optional(1, 'snapshot_id', 'long'),
    optional(3, 'sequence_number', 'long'),
    optional(4, 'file_sequence_number', 'long'),
    required(2, 'data_file', {
      type: 'record',
      name: 'r2',
      fields: [
        required(134, 'content', 'int'),
        required(100, 'file_path', 'string'),
        required(101, 'file_format', 'string'),
        required(102, 'partition', {
          type: 'record',
          name: 'r102',
          fields: partition.map(({ fieldId, name }) => optional(fieldId, toAvroName(name), 'int')),
        }),
        required(103, 'record_count', 'long'),
        required(104, 'file_size_in_bytes', 'long'),
        optional(108, 'column_sizes', mapOf(117, 118, 'long')),
        optional(109, 'value_counts', mapOf(119, 120, 'long')),
        optional(110, 'null_value_counts', mapOf(121, 122, 'long')),
        optional(137, 'nan_value_counts', mapOf(138, 139, 'long')),
        optional(125, 'lower_bounds', mapOf(126, 127, 'bytes')),
        optional(128, 'upper_bounds', mapOf(129, 130, 'bytes')),
        optional(131, 'key_metadata', 'bytes'),
        optional(132, 'split_offsets', listOf(133, 'long')),
        optional(135, 'equality_ids', listOf(136, 'int')),
        optional(140, 'sort_order_id', 'int'),
      ],
    }),
  ],
})

/** Of a list of manifests. */
export const manifestFileSchema: Avro = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    required(500, 'manifest_path', 'string'),
    required(501, 'manifest_length', 'long'),
    required(502, 'partition_spec_id', 'int'),
    required(517, 'content', 'int'),
    required(515, 'sequence_number', 'long'),
    required(516, 'min_sequence_number', 'long'),
    required(503, 'added_snapshot_id', 'long'),
    required(504, 'added_files_count', 'int'),
    required(505, 'existing_files_count', 'int'),
    required(506, 'deleted_files_count', 'int'),
    required(512, 'added_rows_count', 'long'),
    required(513, 'existing_rows_count', 'long'),
    required(514, 'deleted_rows_count', 'long'),
    optional(507, 'partitions', {
      type: 'array',
      'element-id': 508,
      items: {
        type: 'record',
        name: 'r508',
        fields: [
          required(509, 'contains_null', 'boolean'),
          optional(518, 'contains_nan', 'boolean'),
          optional(510, 'lower_bound', 'bytes'),
          optional(511, 'upper_bound', 'bytes'),
        ],
      },
    }),
    optional(519, 'key_metadata', 'bytes'),
  ],
}
