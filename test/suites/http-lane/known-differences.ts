/**
 * Where the lane answers otherwise than `node:http`, without harm: Node's parser is newer and refuses an empty
 * `Transfer-Encoding` at once, and the lane hands it over when its head has arrived, or when it has waited enough.
 */
export const isKnownAnswer = (bytes: Uint8Array, plain: readonly number[], lane: readonly number[]): boolean =>
  plain.join() === [...lane, 400].join() && emptyCoding.test(Buffer.from(bytes).toString('latin1'))

const emptyCoding = /transfer-encoding:[ \t]*\r\n/i
