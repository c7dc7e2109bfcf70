/**
 * Where the lane is known to differ from `node:http`, and nobody is the worse for it.
 */

/** `Call.headers` has an empty value for names with `_` or `^`, and lacks those that every object has; no handler of the lane asks. */
export const isKnownName = (name: string): boolean => /[_^]/.test(name) || name in Object.prototype

/** Answers that differ all the same. */
export const isKnownAnswer = (bytes: Uint8Array, plain: readonly number[], lane: readonly number[]): boolean =>
  isEmptyLine(bytes, plain, lane) || isEmptyCoding(bytes, plain, lane)

type Known = typeof isKnownAnswer

/** An empty line behind the last request, and then the end, is answered 400. */
const isEmptyLine: Known = (bytes, plain, lane) =>
  (bytes.at(-1) === 0x0a || bytes.at(-1) === 0x0d) && [...plain, 400].join() === lane.join()

/** Node's parser is newer: it refuses this at once, and the lane hands it over when its head has come. */
const isEmptyCoding: Known = (bytes, plain, lane) =>
  plain.join() === [...lane, 400].join() && /transfer-encoding:[ \t]*\r\n/i.test(Buffer.from(bytes).toString('latin1'))
