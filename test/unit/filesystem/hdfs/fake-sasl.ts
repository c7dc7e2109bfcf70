/** DIGEST-MD5 from the side of the server, as Java has it. */
import { createHash } from 'node:crypto'
import { createSecurityLayer, type SecurityLayer } from '../../../../src/filesystem/hdfs/tokens/security-layer.ts'

const md5 = (...parts: readonly (string | Buffer)[]): Buffer => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const hex = (bytes: Buffer): string => bytes.toString('hex')

export type FakeSasl = {
  readonly challenge: Buffer
  /** What proves that the server knows the password, and what protects the connection then. @throws Error a wrong response */
  accept(response: Uint8Array): { readonly proof: Buffer; readonly layer: SecurityLayer | undefined }
}

/** @param passwordOf of a user; undefined for one that is not known */
export const createFakeSasl = (passwordOf: (user: string) => string | undefined, qops = 'auth'): FakeSasl => {
  const nonce = 'bm9uY2U='
  return {
    challenge: Buffer.from(
      `realm="0",nonce="${nonce}",qop="${qops}",cipher="rc4,3des",charset=utf-8,algorithm=md5-sess`,
    ),
    accept: response => {
      const words = Object.fromEntries(
        [
          ...Buffer.from(response)
            .toString()
            .matchAll(/([a-z-]+)=(?:"([^"]*)"|([^,]*))/g),
        ].map(([, name = '', quoted, plain]) => [name, quoted ?? plain ?? ''] as const),
      )
      const { username = '', realm, cnonce, nc, qop = '', 'digest-uri': uri } = words
      const password = passwordOf(username)
      if (password === undefined) throw new Error(`${username} is not known`)
      const session = md5(md5(`${username}:${realm}:${password}`), `:${nonce}:${cnonce}`)
      const proof = (a2: string): string => {
        const whole = qop === 'auth' ? a2 : `${a2}:00000000000000000000000000000000`
        return hex(md5(`${hex(session)}:${nonce}:${nc}:${cnonce}:${qop}:${hex(md5(whole))}`))
      }
      if (words['response'] !== proof(`AUTHENTICATE:${uri}`)) throw new Error('the response is wrong')
      const isProtected = qop === 'auth-int' || qop === 'auth-conf'
      return {
        proof: Buffer.from(`rspauth=${proof(`:${uri}`)}`),
        layer: isProtected ? createSecurityLayer(qop, session, 'server-to-client') : undefined,
      }
    },
  }
}
