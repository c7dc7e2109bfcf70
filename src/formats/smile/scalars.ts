import { Decimal, Float32, toDouble, toInteger, type Value } from '../number.ts'
import type { SmileInput } from './input.ts'
import { tokens } from './tokens.ts'

/** Reads what follows one of the tokens 20…2A; undefined for a reserved one. */
export const readScalar = (input: SmileInput, token: number): Value | undefined => {
  switch (token) {
    case tokens.empty:
      return ''
    case tokens.null:
      return null
    case tokens.false:
      return false
    case tokens.true:
      return true
    case tokens.int32:
      return input.int32()
    case tokens.int64:
      return toInteger(input.int64())
    case tokens.bigInteger:
      return toInteger(input.bigInteger())
    case tokens.float:
      return new Float32(input.float())
    case tokens.double:
      return toDouble(input.double())
    case tokens.decimal: {
      const scale = input.int32()
      return new Decimal(input.bigInteger(), scale)
    }
    default:
      return undefined
  }
}
