/**
 * SASL's DIGEST-MD5 (RFC 2831) from the side of the client, without a layer of protection: what proves that a token is
 * held, to a name node and to data nodes.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Something that the other side asks for, or does not prove. */
export class SaslError extends Error {
  override readonly name = 'SaslError'
}

/** Who says so, and to whom. */
export type Digest = {
  readonly username: string
  readonly password: string
  /** `protocol/server` */
  readonly digestUri: string
}

/** The answer to a challenge, and whether what comes back proves that the other side knows the password, too. */
export type DigestAnswer = {
  readonly response: Buffer
  /** @throws SaslError it does not */
  readonly check: (token: Uint8Array) => void
}

/** What a challenge may take: it is a few words. */
const maxChallengeBytes = 8_192

/**
 * @param setting of the cluster, that says which protection it wants
 * @param cnonce for tests @default drawn anew
 * @throws SaslError it is no challenge of this kind, or wants a protection which is not spoken here
 */
export const answerChallenge = (
  challenge: Uint8Array,
  { username, password, digestUri }: Digest,
  setting: string,
  cnonce: string = randomBytes(24).toString('base64'),
): DigestAnswer => {
  const { realm, nonce, qop = 'auth', algorithm } = parseChallenge(challenge)
  if (nonce === undefined || algorithm !== 'md5-sess') throw new SaslError('the challenge is not one of DIGEST-MD5')
  if (!qop.split(',').some(one => one.trim() === 'auth')) {
    throw new SaslError(`it wants the protection ${qop} (${setting}), which is not spoken here`)
  }
  const secret = md5(`${username}:${realm ?? ''}:${password}`)
  const session = hex(md5(secret, `:${nonce}:${cnonce}`))
  const proof = (a2: string): string => hex(md5(`${session}:${nonce}:${nonceCount}:${cnonce}:auth:${hex(md5(a2))}`))
  const words = [
    'charset=utf-8',
    `username="${username}"`,
    ...(realm === undefined ? [] : [`realm="${realm}"`]),
    `nonce="${nonce}"`,
    `nc=${nonceCount}`,
    `cnonce="${cnonce}"`,
    `digest-uri="${digestUri}"`,
    'maxbuf=65536',
    `response=${proof(`AUTHENTICATE:${digestUri}`)}`,
    'qop=auth',
  ]
  const expected = Buffer.from(`rspauth=${proof(`:${digestUri}`)}`)
  return {
    response: Buffer.from(words.join(',')),
    check: token => {
      if (token.length === expected.length && timingSafeEqual(token, expected)) return
      throw new SaslError('it did not prove that it knows the token')
    },
  }
}

/** Each challenge is answered once. */
const nonceCount = '00000001'

const parseChallenge = (challenge: Uint8Array): Readonly<Record<string, string | undefined>> => {
  if (challenge.length > maxChallengeBytes) throw new SaslError(`a challenge of ${challenge.length} bytes`)
  const text = Buffer.from(challenge).toString('utf8')
  const words = text.matchAll(/(?:^|,)\s*([a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^,"]*))/g)
  // Once each, but for realms, of which the first is as good as any.
  return Object.fromEntries([...words].reverse().map(([, name, quoted, plain]) => [name, quoted ?? plain]))
}

const md5 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const hex = (bytes: Buffer): string => bytes.toString('hex')
