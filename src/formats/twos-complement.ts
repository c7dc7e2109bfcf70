import { Buffer } from 'node:buffer'

/** An integer from big-endian two's complement; linear in its length. */
export const fromTwosComplement = (bytes: Uint8Array): bigint =>
  BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))

/** The shortest big-endian bytes that hold an integer and its sign. */
export const toTwosComplement = (value: bigint): Uint8Array => {
  const magnitude = (value < 0n ? ~value : value).toString(16)
  const magnitudeBits = magnitude.length * 4 - (Math.clz32(Number.parseInt(magnitude.charAt(0), 16)) - 28)
  const length = Math.floor(magnitudeBits / 8) + 1
  return Buffer.from(
    BigInt.asUintN(length * 8, value)
      .toString(16)
      .padStart(length * 2, '0'),
    'hex',
  )
}
