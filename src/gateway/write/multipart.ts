/**
 * The file of a `multipart/form-data` body (RFC 7578, RFC 2046 section 5.1.1), streamed:
 *
 *     body       [preamble CRLF] delimiter part* "--" [CRLF epilogue]
 *     part       CRLF (header CRLF)* CRLF content delimiter
 *     delimiter  [CRLF] "--" boundary *(SP / TAB)
 *
 * A parser of our own: those on npm have more parts than this needs (files in temporary folders, nested parts), are
 * built on Node's streams, and are vague about a body that ends within a part, which is what matters here.
 */
import { Buffer } from 'node:buffer'
import { SluiceError } from '../../errors.ts'
import { createMultipartInput, type MultipartInput } from './multipart-input.ts'

/** All headers of a part, in bytes. */
const maxHeaderBytes = 16_384
/** Fields beside the file: how many, and bytes of each; preamble and epilogue too. */
const maxFields = 32
const maxFieldBytes = 65_536

/** The one file of a form. */
export type UploadedFile = {
  /** As the client sent it; may be empty, and may be anything. */
  readonly name: string
  /** To be read once and to its end: it fails when the body is cut short, or another file follows. */
  readonly content: AsyncGenerator<Uint8Array, void, undefined>
}

/**
 * The boundary of a `Content-Type`; undefined unless that is `multipart/form-data`.
 * @throws SluiceError `bad-request` without a usable boundary
 */
export const parseBoundary = (contentType: string | undefined): string | undefined => {
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(contentType ?? '')) return undefined
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType ?? '') ?? []
  const boundary = quoted ?? plain ?? ''
  if (/^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary)) return boundary
  throw new SluiceError('bad-request', 'Content-Type: expected a multipart boundary of 1 to 70 characters')
}

/**
 * Reads up to the content of the file. Fields before and after it are skipped.
 * @throws SluiceError `bad-request` for a body that is malformed, cut short, or without a file
 */
export const parseMultipart = async (body: AsyncIterable<Uint8Array>, boundary: string): Promise<UploadedFile> => {
  const input = createMultipartInput(body, Buffer.from(`\r\n--${boundary}`, 'latin1'))
  try {
    await input.skipPart(maxFieldBytes, 'preamble')
    const name = await nextFile(input)
    if (name === undefined) throw refuse('it has no file')
    return { name, content: readContent(input) }
  } catch (error) {
    await input.close()
    throw error
  }
}

async function* readContent(input: MultipartInput): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* input.readPart()
    if ((await nextFile(input)) !== undefined) throw refuse('it has more than one file')
  } finally {
    await input.close()
  }
}

/** Goes to the next part that is a file, and gives its name; undefined at the end of the body. */
const nextFile = async (input: MultipartInput): Promise<string | undefined> => {
  for (let fields = 0; ; fields++) {
    const mark = await input.readLine(maxHeaderBytes)
    if (mark.startsWith('--')) {
      await input.drain(maxFieldBytes)
      return undefined
    }
    if (mark.trim() !== '') throw refuse('something stands behind a boundary')
    if (fields >= maxFields) throw refuse(`it has more than ${maxFields} fields`)
    const name = await readFileName(input)
    if (name !== undefined) return name
    await input.skipPart(maxFieldBytes, 'field')
  }
}

/** Reads the headers of a part. @returns the name of its file; undefined where it is a field */
const readFileName = async (input: MultipartInput): Promise<string | undefined> => {
  let name: string | undefined
  for (let left = maxHeaderBytes; ; ) {
    const line = await input.readLine(left)
    left -= line.length + 2
    if (line === '') return name
    const [, header = '', value = ''] = /^([!-9;-~]+):[ \t]*(.*)$/s.exec(line) ?? []
    if (header === '') throw refuse('a header of a part is malformed')
    if (header.toLowerCase() === 'content-disposition') name = parseFileName(value)
    if (header.toLowerCase() === 'content-transfer-encoding' && !/^(binary|8bit|7bit)\s*$/i.test(value)) {
      throw refuse(`its Content-Transfer-Encoding is not binary`)
    }
  }
}

/** Browsers write `"` and line breaks as `%22`, `%0D`, `%0A`, other clients `"` and `\` with a backslash before. */
const parseFileName = (disposition: string): string | undefined => {
  const [, extended] = /;\s*filename\*=(?:utf-8)'[^']*'([^;\s]*)/i.exec(disposition) ?? []
  if (extended !== undefined) return decode(extended)
  const [, quoted, plain] = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/is.exec(disposition) ?? []
  return quoted?.replace(/\\(["\\])/g, '$1').replace(/%(22|0D|0A)/gi, escaped => decodeURIComponent(escaped)) ?? plain
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refuse('a file name is not UTF-8')
  }
}

const refuse = (reason: string): SluiceError => new SluiceError('bad-request', `The form cannot be read: ${reason}`)
