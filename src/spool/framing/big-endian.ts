/**
 * Numbers as they stand in bytes, without a `DataView`: where each record has a few of them, making one costs more than
 * reading them. The bytes have to be there.
 */
export const uint16At = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 8) | (bytes[at + 1] as number)

/** See {@link uint16At}. */
export const uint32At = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)) >>>
  0

/** See {@link uint16At}; a double of IEEE 754. */
export const float64At = (bytes: Uint8Array, at: number): number => {
  words[highWord] = uint32At(bytes, at)
  words[1 - highWord] = uint32At(bytes, at + 4)
  return double[0] as number
}

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)

/** Where this machine has the half with the sign. */
const highWord = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0
