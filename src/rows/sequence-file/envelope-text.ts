import { toJavaDouble } from '../../formats/java-text.ts'
import type { ThriftEnvelope } from '../../formats/thrift/envelope.ts'
import { decodeFields } from '../../formats/thrift/field-list.ts'
import { decodeThriftText } from '../../formats/thrift/text.ts'
import { type ThriftField, thriftType } from '../../formats/thrift/types.ts'

/** Most fields that are made up for ids left out. */
const maxGaps = 128

/**
 * An envelope as the old gateway wrote it with `raw=true`, which was Java's `toString`:
 * `hello (1) : [ThriftFieldImpl{dataItem=world, field=<TField name:'' type:11 field-id:1>}]`.
 * @throws FormatError `thrift` from the payload
 */
export const toEnvelopeText = ({ typeName, name, payload }: ThriftEnvelope): string => {
  const fields = decodeFields(payload)
  const all: string[] = []
  const ids: number[] = []
  let gaps = 0
  for (const [i, field] of fields.entries()) {
    const before = fields[i - 1]?.id ?? field.id
    for (let id = before + 1; id < field.id && gaps < maxGaps; id++, gaps++) {
      ids.push(id)
      all.push(toFieldText('null', 1, id))
    }
    ids.push(field.id)
    all.push(toFieldText(toItemText(field), field.type, field.id))
  }
  const names = name === typeName ? typeName : `${typeName} [${name}]`
  const version = [...new Set(ids)].sort((a, b) => a - b).join('.')
  return `${names} (${version}) : [${all.join(', ')}]`
}

const toFieldText = (item: string, type: number, id: number): string =>
  `ThriftFieldImpl{dataItem=${item}, field=<TField name:'' type:${type} field-id:${id}>}`

const toItemText = (field: ThriftField): string => {
  switch (field.type) {
    case thriftType.bool:
      return field.value ? '1' : '0'
    case thriftType.string:
      return decodeThriftText(field.value)
    case thriftType.double:
      return toJavaDouble(field.value).replace(/^(-?\d+)\.0$/, '$1')
    default:
      return String(field.value)
  }
}
