import type { Call } from '../call/call.ts'

/** Of bodies that did not come as a whole, or were decompressed. */
const arrived = new WeakMap<object, number>()

/** Bytes of the body that have come, as sent; once it is decompressed, those that it has then. */
export const arrivedBytesOf = (call: Pick<Call<unknown>, 'whole'>): number =>
  arrived.get(call) ?? call.whole?.length ?? 0

/** More of a body is there. */
export const noteArrivedBytes = (call: Pick<Call<unknown>, 'whole'>, more: number): void =>
  void arrived.set(call, arrivedBytesOf(call) + more)

/** The body is decompressed, and has so many bytes. */
export const noteDecodedBytes = (call: Pick<Call<unknown>, 'whole'>, bytes: number): void =>
  void arrived.set(call, bytes)
