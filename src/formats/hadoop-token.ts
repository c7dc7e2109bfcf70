/**
 * Hadoop's `Token` in its text form (`Token.encodeToUrlString`): base 64 for URLs, without padding, of
 *
 *     vint   bytes of the identifier      then the identifier
 *     vint   bytes of the password        then the password
 *     vint   bytes of the kind in UTF-8   then the kind, such as `WEBHDFS delegation`
 *     vint   bytes of the service         then the service, such as `10.0.0.7:8080`
 *
 * A client of Hadoop shows it only to the service it is for, and does not look into identifier and password.
 */
import { Buffer } from 'node:buffer'
import { FormatError } from '../errors.ts'
import { encodeVint, readVint } from './sequence-file/vint.ts'

export type HadoopToken = {
  readonly identifier: Uint8Array
  readonly password: Uint8Array
  readonly kind: string
  readonly service: string
}

/** Writes one. */
export const encodeHadoopToken = ({ identifier, password, kind, service }: HadoopToken): string => {
  const parts = [identifier, password, Buffer.from(kind), Buffer.from(service)]
  return Buffer.concat(parts.flatMap(part => [encodeVint(part.length), part])).toString('base64url')
}

/** Reads one. @throws FormatError `Hadoop token` for anything else */
export const decodeHadoopToken = (text: string): HadoopToken => {
  if (!/^[\w-]*$/.test(text)) throw new FormatError('Hadoop token', 0, 'expected base 64', { unit: 'character' })
  const bytes = Buffer.from(text, 'base64url')
  let at = 0
  const next = (name: string): Buffer => {
    const { value: length, end } = readVint(bytes, at)
    if (length < 0 || end + length > bytes.length) {
      throw new FormatError('Hadoop token', at, `expected the length of the ${name}, found ${length}`)
    }
    at = end + length
    return bytes.subarray(end, at)
  }
  const [identifier, password] = [next('identifier'), next('password')]
  const [kind, service] = [next('kind').toString('utf8'), next('service').toString('utf8')]
  if (at !== bytes.length) throw new FormatError('Hadoop token', at, 'expected the end')
  return { identifier, password, kind, service }
}
