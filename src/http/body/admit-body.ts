import { SluiceError } from '../../errors.ts'
import type { Call } from '../call/call.ts'
import type { Admission, Claim, Client } from './admission.ts'
import { announcedLengthOf, noteArrivedBytes } from './arrived-bytes.ts'

/** A body, in memory or on its way there, and the claim that accounts for it; its owner releases it in any case. */
export type AdmittedBody = { readonly bytes: Uint8Array | Promise<Uint8Array>; readonly claim: Claim }

/** The part of a call that has the body. */
type BodyCall = Pick<Call<unknown>, 'header' | 'whole' | 'bytes'>

/**
 * Starts to read the body as sent, accounted for as it arrives, whatever is announced. `bytes` rejects with SluiceError
 * `too-large`, `overloaded`, `request-timeout`, or `bad-request` when it is cut short.
 * @throws SluiceError `too-large` by what is announced, `overloaded`
 */
export const admitBody = (call: BodyCall, admission: Admission, maxBytes: number, client: Client): AdmittedBody => {
  const { whole } = call
  const announced = whole ? whole.length : announcedLengthOf(call)
  if (announced !== undefined && announced > maxBytes) throw tooLarge(announced, maxBytes)
  const claim = admission.admit(whole?.length ?? 0, client)
  return { bytes: whole ?? read(call, claim, maxBytes, announced), claim }
}

const read = async (call: BodyCall, claim: Claim, maxBytes: number, announced = maxBytes): Promise<Uint8Array> => {
  const body = await call.bytes(maxBytes, more => {
    noteArrivedBytes(call, more)
    return claim.receive(more, announced)
  })
  claim.received()
  return body
}

const tooLarge = (announced: number, maxBytes: number): SluiceError =>
  new SluiceError(
    'too-large',
    `The body has ${announced} bytes; at most ${maxBytes} are accepted (collector.max-body-bytes)`,
  )
