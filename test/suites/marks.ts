/** Digits of a mark, at least: so many that the bytes of a binary format do not happen to look like one. */
const digits = 8

/** The text that identifies an event, wherever its bytes are. */
export const toMark = (event: number): string => `E${String(event).padStart(digits, '0')}E`

const marks = new RegExp(`E(\\d{${digits},})E`, 'g')

/** The numbers of the events in these bytes, in any output format that is not compressed. */
export const findEvents = (bytes: Uint8Array): number[] =>
  [...Buffer.from(bytes).toString('latin1').matchAll(marks)].map(([, number]) => Number(number))
