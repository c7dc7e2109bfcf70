/** JSON in bytes of which no header says it, as SDKs for browsers send it: by gzip, in base64 as a field of a form, or both. */
import { Buffer } from 'node:buffer'
import { gunzipSync, gzipSync } from 'node:zlib'
import { SluiceError } from '../../errors.ts'

/** Finds it; plain bytes are what they are. @throws SluiceError `bad-request`: damaged; `too-large` */
export const findJson = (body: Buffer): Buffer => {
  if (!isForm(body)) return gunzipHidden(body).plain
  const form = new URLSearchParams(body.toString('latin1'))
  // A plus that was not escaped became a space.
  return gunzipHidden(Buffer.from((form.get('data') ?? '').replaceAll(' ', '+'), 'base64')).plain
}

/** Whether bytes are a form with such a field, its only one for its senders. */
export const isForm = (body: Buffer): boolean => body.subarray(0, formField.length).equals(formField)

const formField = Buffer.from('data=')

/** Bytes, decompressed where they are gzip. @throws SluiceError `bad-request`: damaged; `too-large` */
export const gunzipHidden = (bytes: Buffer): { readonly plain: Buffer; readonly isZipped: boolean } => {
  const isZipped = bytes[0] === 0x1f && bytes[1] === 0x8b
  return { plain: isZipped ? inflate(bytes) : bytes, isZipped }
}

/** The way back. */
export const zipHidden = (plain: Buffer, isZipped: boolean): Buffer => (isZipped ? gzipSync(plain) : plain)

const inflate = (bytes: Buffer): Buffer => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxHiddenBytes })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') {
      const hint = 'longer ones need the header Content-Encoding'
      throw new SluiceError('too-large', `The body inflates to more than ${maxHiddenBytes} bytes; ${hint}`, { cause })
    }
    throw new SluiceError('bad-request', 'The body is not a complete gzip stream', { cause })
  }
}

/** Browsers send far less, and it inflates at once. */
const maxHiddenBytes = 4 * 1024 * 1024
