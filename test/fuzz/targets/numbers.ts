import { parseDecimalInteger, parseDouble } from '../../../src/collector/parsers/decimal.ts'
import { formDecode } from '../../../src/collector/parsers/form-decode.ts'
import { toJavaDouble, toJavaFloat } from '../../../src/formats/java-text.ts'
import { parseJson, stringifyJson } from '../../../src/formats/json.ts'
import { tried } from '../tried.ts'

/** Numbers as text: read as Java reads them, written as Java writes them; and form encoding, which they come in. */
export const name = 'numbers'

export const dictionary = [
  'NaN',
  'Infinity',
  '0x',
  'p',
  '+',
  '-',
  '.',
  'e',
  'E',
  'f',
  'D',
  ' ',
  '%',
  '%2B',
  '1e400',
  '5e-324',
]

/** What is written reads as the same number. */
export const run = (bytes: Uint8Array): void => {
  const text = Buffer.from(bytes).toString('utf8')
  const value = parseDouble(text)
  if (value !== undefined) checkDouble(value)
  if (bytes.length >= 8) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    checkDouble(view.getFloat64(0))
    checkFloat(view.getFloat32(4))
  }
  const integer = parseDecimalInteger(text)
  if (integer !== undefined && String(parseDecimalInteger(String(integer))) !== String(integer))
    throw new Error('another integer')
  const exact = tried(() => parseJson(text))
  if (exact !== undefined) stringifyJson(exact)
  const decoded = tried(() => formDecode(text))
  if (decoded !== undefined && !decoded.isWellFormed()) throw new Error('a lone surrogate')
}

const checkDouble = (value: number): void => {
  if (!Object.is(Number(toJavaDouble(value)), value)) throw new Error(`${value} is written ${toJavaDouble(value)}`)
}

const checkFloat = (value: number): void => {
  const text = toJavaFloat(value)
  if (!Object.is(Math.fround(Number(text)), value)) throw new Error(`the float ${value} is written ${text}`)
}
