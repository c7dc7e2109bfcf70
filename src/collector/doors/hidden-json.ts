/** JSON in bytes of which no header says it, as SDKs for browsers send it: by gzip, in base64 as a field of a form, or both; or plain in such a field. */
import { Buffer, isUtf8 } from 'node:buffer'
import { gunzipSync, gzipSync } from 'node:zlib'
import { SluiceError } from '../../errors.ts'

/** Finds it; plain bytes are what they are. @throws SluiceError `bad-request`: damaged; `too-large` */
export const findJson = (body: Buffer): Buffer => {
  if (!isForm(body)) return gunzipHidden(body).plain
  const [data = '', ...others] = new URLSearchParams(body.toString('latin1')).getAll('data')
  if (others.length > 0) throw damaged('The form has more than one field data')
  if (/^\s*[[{]/.test(data)) return decodeField(body)
  // A plus that was not escaped became a space.
  const encoded = data.replaceAll(' ', '+')
  if (!/^[\w+/-]*={0,2}$/.test(encoded)) throw damaged('The field data of the form is neither JSON nor base64')
  return gunzipHidden(Buffer.from(encoded, 'base64')).plain
}

/** The field as it is, where it is JSON. */
const decodeField = (form: Buffer): Buffer => {
  const [field = ''] = form.toString('utf8', formField.length).split('&', 1)
  try {
    if (isUtf8(form)) return Buffer.from(decodeURIComponent(field.replaceAll('+', ' ')))
  } catch {
    // An escape is malformed.
  }
  throw damaged('The field data of the form is not percent-encoded UTF-8')
}

const damaged = (message: string, cause?: unknown): SluiceError => new SluiceError('bad-request', message, { cause })

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
    throw damaged('The body is not a complete gzip stream', cause)
  }
}

/** Browsers send far less, and it inflates at once. */
const maxHiddenBytes = 4 * 1024 * 1024
