import { toDouble, toInteger, type Value } from '../number.ts'
import { decodeThriftText } from './text.ts'
import { type ThriftField, thriftType } from './types.ts'

/** What a field says: texts decoded, integers and doubles exact, everything else as it was read. */
export const toFieldValue = (field: ThriftField): Value => {
  switch (field.type) {
    case thriftType.string:
      return decodeThriftText(field.value)
    case thriftType.i64:
      return toInteger(field.value)
    case thriftType.double:
      return toDouble(field.value)
    default:
      return field.value
  }
}
