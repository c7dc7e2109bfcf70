import { formatBase64Number, parseBase64Number } from '../../../src/formats/base64-number.ts'

export const name = 'base64-number'

export const corpus = (): Uint8Array[] =>
  ['', '-', '!', '--', '-1!', 'GvLInqV', '6zzzzzzzzzz', '-7----------', '7zzzzzzzzzz', '!!!!!!!!!!!!0'].map(text =>
    Buffer.from(text),
  )

/** A number that is read can be written, and reads as the same. */
export const run = (bytes: Uint8Array): void => {
  const value = BigInt(parseBase64Number(Buffer.from(bytes).toString('latin1')))
  if (BigInt(parseBase64Number(formatBase64Number(value))) !== value) throw new Error(`${value} does not survive`)
}
