import { SluiceError } from '../src/errors.ts'
import type { AdminCall } from './routes.ts'

/** Largest body of a management request. */
const maxBodyBytes = 1_048_576

/**
 * The text of a JSON body. The type is asked for because a page of another site can send any other without asking
 * first; a content encoding is refused, since 1 MB needs none.
 * @throws SluiceError `unsupported-media-type`, `too-large`, `bad-request`
 */
export const readJsonText = async (
  call: AdminCall,
  types: readonly string[] = ['application/json'],
): Promise<string> => {
  const type = (call.header('content-type') ?? '').split(';', 1).join('').trim().toLowerCase()
  if (!types.includes(type)) {
    throw new SluiceError('unsupported-media-type', `Content-Type: expected ${types.join(' or ')}`)
  }
  const encoding = call.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    throw new SluiceError('unsupported-media-type', 'Content-Encoding is not supported here')
  }
  const bytes = await call.bytes(maxBodyBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new SluiceError('bad-request', 'The body is not UTF-8', { cause })
  }
}
