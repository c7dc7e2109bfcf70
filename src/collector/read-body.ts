import { GrowingBytes } from '../bytes/growing-bytes.ts'
import { SluiceError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import type { Admission, Ticket } from './admission.ts'

/** A body, in memory or on its way there, and the ticket that accounts for it; whoever has it releases it, whatever comes. */
export type AdmittedBody = { readonly bytes: Uint8Array | Promise<Uint8Array>; readonly ticket: Ticket }

/**
 * Starts to read the body as sent, accounted for before it is in memory: an announced length at once, other bodies
 * chunk by chunk. `bytes` rejects with SluiceError `too-large`, `overloaded`, or `bad-request` when it is cut short.
 * @throws SluiceError `too-large` or `overloaded` by what is announced
 */
export const admitBody = (call: Call<unknown>, admission: Admission, maxBytes: number): AdmittedBody => {
  const { whole } = call
  const announced = whole ? whole.length : announcedLength(call)
  if (announced !== undefined && announced > maxBytes) throw tooLarge(`announces ${announced}`, maxBytes)
  const ticket = admission.admit(announced ?? 0)
  if (whole) return { bytes: whole, ticket }
  return { bytes: announced === undefined ? readChunks(call, ticket, maxBytes) : call.bytes(maxBytes), ticket }
}

const announcedLength = (call: Call<unknown>): number | undefined => {
  const text = call.header('content-length')
  return text === undefined || !/^\d{1,15}$/.test(text) ? undefined : Number(text)
}

const readChunks = async (call: Call<unknown>, ticket: Ticket, maxBytes: number): Promise<Uint8Array> => {
  const stream = call.stream()
  if (stream === null) return new Uint8Array()
  const body = new GrowingBytes(maxBytes)
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return body.bytes()
      if (body.length + value.byteLength > maxBytes) throw tooLarge('is longer than that', maxBytes)
      ticket.addBytes(value.byteLength)
      body.append(value)
    }
  } catch (error) {
    // Nobody reads on: the source may stop sending. Its own complaint about that is of no interest.
    void reader.cancel(error).catch(() => undefined)
    if (error instanceof SluiceError) throw error
    throw new SluiceError('bad-request', 'The body was cut short', { cause: error })
  }
}

const tooLarge = (what: string, maxBytes: number): SluiceError =>
  new SluiceError('too-large', `A body of at most ${maxBytes} bytes is taken; this one ${what}`)
