/**
 * Big-endian numbers read without a `DataView`: each record has a few, and creating a view costs more than reading
 * them. The caller makes sure that the bytes exist.
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
