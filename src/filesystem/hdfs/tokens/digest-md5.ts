/**
 * SASL's DIGEST-MD5 (RFC 2831) from the side of the client: what proves that a token is held, to a name node and to
 * data nodes, and the agreement on the protection of later messages.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Demand, inWords } from '../conf/demands.ts'
import { createSecurityLayer, type Qop, type SecurityLayer } from './security-layer.ts'

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
  /** The setting of the cluster that says which protection it wants. */
  readonly setting: string
  /** Whether nothing less than encryption will do. @default false */
  readonly isPrivate?: boolean
  /** Nothing else will do. @default whatever the other side wants */
  readonly demand?: Demand | undefined
}

/** The answer to a challenge, and its result. */
export type DigestAnswer = {
  readonly response: Buffer
  readonly qop: Qop
  /**
   * Whether the reply proves that the other side knows the password, too.
   * @returns what protects the messages from here on; undefined where nothing does
   * @throws SaslError it does not
   */
  readonly check: (token: Uint8Array) => SecurityLayer | undefined
}

/** What a challenge may take: it is a few words. */
const maxChallengeBytes = 8_192
/** The only cipher of RFC 2831 that both Java and OpenSSL have. */
const cipher = '3des'
/** The longest wrapped message that either side takes, where it does not say another (`maxbuf`). */
export const maxWrappedBytes = 65_536

/**
 * Of several protections the cluster's first one is taken, as by Hadoop's clients.
 * @param cnonce for tests @default random
 * @throws SaslError it is not a challenge of this kind, or wants a protection that is not supported here
 */
export const answerChallenge = (
  challenge: Uint8Array,
  { username, password, digestUri, ...terms }: Digest,
  cnonce: string = randomBytes(24).toString('base64'),
): DigestAnswer => {
  const words = parseChallenge(challenge)
  const { realm, nonce, algorithm } = words
  if (nonce === undefined || algorithm !== 'md5-sess') throw new SaslError('the challenge is not one of DIGEST-MD5')
  const qop = chooseQop(words, terms)
  const session = md5(md5(`${username}:${realm ?? ''}:${password}`), `:${nonce}:${cnonce}`)
  const proof = (a2: string): string => {
    const whole = qop === 'auth' ? a2 : `${a2}:${'0'.repeat(32)}`
    return hex(md5(`${hex(session)}:${nonce}:${nonceCount}:${cnonce}:${qop}:${hex(md5(whole))}`))
  }
  const answer = [
    'charset=utf-8',
    `username="${username}"`,
    ...(realm === undefined ? [] : [`realm="${realm}"`]),
    `nonce="${nonce}"`,
    `nc=${nonceCount}`,
    `cnonce="${cnonce}"`,
    `digest-uri="${digestUri}"`,
    `maxbuf=${maxWrappedBytes}`,
    `response=${proof(`AUTHENTICATE:${digestUri}`)}`,
    `qop=${qop}`,
    ...(qop === 'auth-conf' ? [`cipher=${cipher}`] : []),
  ]
  const expected = Buffer.from(`rspauth=${proof(`:${digestUri}`)}`)
  return {
    response: Buffer.from(answer.join(',')),
    qop,
    check: token => {
      if (token.length !== expected.length || !timingSafeEqual(token, expected)) {
        throw new SaslError('it did not prove that it knows the token')
      }
      return qop === 'auth' ? undefined : createSecurityLayer(qop, session)
    },
  }
}

/** Each challenge is answered once. */
const nonceCount = '00000001'

type Words = Readonly<Record<string, string | undefined>>

const parseChallenge = (challenge: Uint8Array): Words => {
  if (challenge.length > maxChallengeBytes) throw new SaslError(`a challenge of ${challenge.length} bytes`)
  const text = Buffer.from(challenge).toString('utf8')
  const words = text.matchAll(/(?:^|,)\s*([a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^,"]*))/g)
  // Once each, except realms, of which the first is as good as any.
  return Object.fromEntries([...words].reverse().map(([, name, quoted, plain]) => [name, quoted ?? plain]))
}

const allQops: readonly Qop[] = ['auth', 'auth-int', 'auth-conf']

const chooseQop = (
  { qop = 'auth', cipher: ciphers = '' }: Words,
  { setting, isPrivate = false, demand }: Pick<Digest, 'setting' | 'isPrivate' | 'demand'>,
): Qop => {
  const offered = toList(qop)
  const spoken = allQops.filter(one => one !== 'auth-conf' || toList(ciphers).includes(cipher))
  const taken = isPrivate ? spoken.filter(one => one === 'auth-conf') : spoken
  const find = (qops: readonly Qop[]): Qop | undefined =>
    offered.flatMap(one => qops.find(other => other === one) ?? [])[0]
  const chosen = find(taken)
  const demanded = demand === undefined ? chosen : find(taken.filter(one => demand.qops.includes(one)))
  if (demanded !== undefined) return demanded
  if (chosen !== undefined && demand) {
    throw new SaslError(`it offers the protection ${qop.slice(0, 200)}, and ${inWords(demand)}`)
  }
  const wanted = offered.includes('auth-conf') ? `auth-conf with the ciphers ${ciphers || '(none)'}` : qop
  const ours = isPrivate ? `auth-conf with ${cipher}` : `auth, auth-int, and auth-conf with ${cipher}`
  throw new SaslError(`it wants the protection ${wanted.slice(0, 200)} (${setting}); spoken here: ${ours}`)
}

const toList = (words: string): readonly string[] => words.split(',').map(one => one.trim())

const md5 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const hex = (bytes: Buffer): string => bytes.toString('hex')
