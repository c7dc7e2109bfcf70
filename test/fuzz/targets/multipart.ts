import { SluiceError } from '../../../src/errors.ts'
import { parseBoundary, parseMultipart } from '../../../src/gateway/write/multipart.ts'
import { pieces } from '../../suites/pieces.ts'
import { toWords } from '../words.ts'

/** Forms with a file: the first line is the content type, the rest the body. */
export const name = 'multipart'

export const dictionary = [
  ...toWords(`
    -- --b " %22 %00 base64 8bit boundary="b" boundary= ;
  `),
  '\r\n',
  '\r\n--b',
  '\r\n--b--',
  '\r\n\r\n',
  'Content-Disposition: form-data; name="file"; filename="a"',
  "; filename*=UTF-8''%2e%2e%2f",
  '; filename=',
  '\\',
  'Content-Transfer-Encoding: ',
  '\u0000',
]

/** The same file, or the same refusal, however the body is cut into chunks. @throws SluiceError */
export const run = async (bytes: Uint8Array): Promise<void> => {
  const end = Math.max(0, bytes.indexOf(0x0a))
  const boundary = parseBoundary(Buffer.from(bytes.subarray(0, end)).toString('latin1'))
  if (boundary === undefined) return
  const body = bytes.subarray(end + 1)
  const whole = await read(body, boundary, body.length)
  const cut = await read(body, boundary, 1 + (bytes.length % 7))
  if (whole !== cut) throw new Error(`the cuts decide: ${whole} and ${cut}`)
}

const read = async (body: Uint8Array, boundary: string, step: number): Promise<string> => {
  let length = 0
  try {
    const file = await parseMultipart(pieces(body, Math.max(1, step)), boundary)
    const parts: Uint8Array[] = []
    for await (const part of file.content) length += parts.push(part) && part.length
    return `${file.name}: ${Buffer.concat(parts).toString('latin1')}`
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return `${error.code} after ${length > 0 ? 'some' : 'no'} bytes`
  }
}
