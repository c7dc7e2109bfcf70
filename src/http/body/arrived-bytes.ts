import type { Call } from '../call/call.ts'

/** Of bodies that arrived in pieces, or were decompressed. */
const arrived = new WeakMap<object, number>()

/** Bytes of the body that have arrived, as sent; once it is decompressed, those that it has then. */
export const arrivedBytesOf = (call: Pick<Call<unknown>, 'whole'>): number =>
  arrived.get(call) ?? call.whole?.length ?? 0

/** Bytes of the body as announced, or as they are there; 0 where neither is known. */
export const announcedBytesOf = (call: Pick<Call<unknown>, 'whole' | 'header'>): number =>
  call.whole?.length ?? announcedLengthOf(call) ?? 0

/** What `Content-Length` says. */
export const announcedLengthOf = (call: Pick<Call<unknown>, 'header'>): number | undefined => {
  const text = call.header('content-length')
  return text === undefined || !/^\d{1,15}$/.test(text) ? undefined : Number(text)
}

/** More of a body is there. */
export const noteArrivedBytes = (call: Pick<Call<unknown>, 'whole'>, more: number): void =>
  void arrived.set(call, arrivedBytesOf(call) + more)

/** The body is decompressed, and has this many bytes. */
export const noteDecodedBytes = (call: Pick<Call<unknown>, 'whole'>, bytes: number): void =>
  void arrived.set(call, bytes)
