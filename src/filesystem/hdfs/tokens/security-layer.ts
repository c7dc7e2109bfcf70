/**
 * The protection of messages after DIGEST-MD5 (RFC 2831, sections 2.3 and 2.4):
 *
 *     auth-int     message  MAC                   0001  number of the message (4 bytes)
 *     auth-conf    3DES of (message padding MAC)  0001  number of the message (4 bytes)
 *
 * The MAC is 10 bytes of the HMAC-MD5 of number and message, each direction with keys of its own. Messages are counted
 * from 0, so that none is lost, repeated or put into another place unseen.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { FormatError } from '../../../errors.ts'

/** Protects the messages of one connection, in both directions. */
export type SecurityLayer = {
  /** Bytes that take about half a millisecond to wrap. */
  readonly stepBytes: number
  wrap(message: Uint8Array): Buffer
  /** @throws FormatError `SASL`: it is not the next message of the other side */
  unwrap(wrapped: Uint8Array): Buffer
  /** The same in steps of a number of bytes. */
  unwrapInSteps(wrapped: Uint8Array): Generator<undefined, Buffer>
}

/** Qualities of protection beyond the proof itself, by RFC 2831's names. */
export type ProtectedQop = 'auth-int' | 'auth-conf'

/** All of them: `auth` is the proof alone. */
export type Qop = 'auth' | ProtectedQop

/** Who speaks: `client-to-server` is us, but in tests. */
export type Direction = 'client-to-server' | 'server-to-client'

const macBytes = 10
const trailerBytes = 6
const blockBytes = 8
/** At the most how much longer a wrapped message is than what is in it. */
export const wrapBytes = blockBytes + macBytes + trailerBytes
const messageType = Buffer.from([0, 1])
/** 3DES takes some 40 ns for a byte, whole blocks of which make a step; a MAC takes 2. */
const cipherStepBytes = 16 * 1024
const macStepBytes = 256 * 1024

/**
 * @param session `H(A1)`, which both sides have of the password
 * @param own the direction of what is wrapped
 */
export const createSecurityLayer = (
  qop: ProtectedQop,
  session: Uint8Array,
  own: Direction = 'client-to-server',
): SecurityLayer => {
  const other = own === 'client-to-server' ? 'server-to-client' : 'client-to-server'
  const [signOwn, signOther] = [createSigner(session, own), createSigner(session, other)]
  const [seal, open] = qop === 'auth-conf' ? [createSeal(session, own), createOpen(session, other)] : [join, split]
  const stepBytes = qop === 'auth-conf' ? cipherStepBytes : macStepBytes
  let sent = 0
  let received = 0
  const unwrapInSteps = function* (wrapped: Uint8Array): Generator<undefined, Buffer> {
    const number = toNumber(received++)
    const sealedBytes = wrapped.length - trailerBytes
    const fail = (words: string): never => {
      throw new FormatError('SASL', Math.max(sealedBytes, 0), `message ${received - 1} ${words}`)
    }
    if (sealedBytes < macBytes) fail(`has ${wrapped.length} bytes`)
    const trailer = wrapped.subarray(sealedBytes)
    if (!Buffer.concat([messageType, number]).equals(trailer)) fail(`is numbered ${toHex(trailer)}`)
    const opened = yield* open(wrapped.subarray(0, sealedBytes))
    const { message, mac } = opened ?? fail('is not whole blocks with their padding')
    if (!timingSafeEqual(yield* signOther(number, message), mac)) fail('was changed on its way')
    return message
  }
  return {
    stepBytes,
    wrap: message => {
      const number = toNumber(sent++)
      return Buffer.concat([...seal(message, atOnce(signOwn(number, message))), messageType, number])
    },
    unwrap: wrapped => atOnce(unwrapInSteps(wrapped)),
    unwrapInSteps,
  }
}

/** Takes all steps. */
const atOnce = <T>(steps: Generator<undefined, T>): T => {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

type Opened = { readonly message: Buffer; readonly mac: Uint8Array }

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const toNumber = (count: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(count % 2 ** 32)
  return bytes
}

/** The MAC of a message: 10 bytes of its HMAC. */
type Sign = (number: Buffer, message: Uint8Array) => Generator<undefined, Buffer>

const createSigner = (session: Uint8Array, direction: Direction): Sign => {
  const key = md5(session, `Digest session key to ${direction} signing key magic constant`)
  return function* (number, message) {
    const hmac = createHmac('md5', key).update(number)
    for (let at = 0; at < message.length; at += macStepBytes) {
      if (at > 0) yield
      hmac.update(message.subarray(at, at + macStepBytes))
    }
    return hmac.digest().subarray(0, macBytes)
  }
}

type Seal = (message: Uint8Array, mac: Buffer) => readonly Uint8Array[]
type Open = (bytes: Uint8Array) => Generator<undefined, Opened | undefined>

const join: Seal = (message, mac) => [message, mac]

const split: Open = function* (bytes) {
  const message = Buffer.from(bytes.subarray(0, bytes.length - macBytes))
  yield
  return { message, mac: bytes.subarray(bytes.length - macBytes) }
}

/** A cipher continues from message to message. */
const createSeal = (session: Uint8Array, direction: Direction): Seal => {
  const { key, iv } = toCipherKey(session, direction)
  const cipher = createCipheriv(cipherName, key, iv).setAutoPadding(false)
  return (message, mac) => {
    const padding = blockBytes - ((message.length + macBytes) % blockBytes)
    return [cipher.update(Buffer.concat([message, Buffer.alloc(padding, padding), mac]))]
  }
}

const createOpen = (session: Uint8Array, direction: Direction): Open => {
  const { key, iv } = toCipherKey(session, direction)
  const decipher = createDecipheriv(cipherName, key, iv).setAutoPadding(false)
  return function* (bytes) {
    if (bytes.length % blockBytes > 0) return undefined
    const plain = Buffer.allocUnsafeSlow(bytes.length)
    for (let at = 0; at < bytes.length; at += cipherStepBytes) {
      if (at > 0) yield
      decipher.update(bytes.subarray(at, at + cipherStepBytes)).copy(plain, at)
    }
    const padded = plain.length - macBytes
    const padding = plain[padded - 1] ?? 0
    if (padding < 1 || padding > blockBytes) return undefined
    return { message: plain.subarray(0, padded - padding), mac: plain.subarray(padded) }
  }
}

const cipherName = 'des-ede3-cbc'

/** Two keys of 56 bits make three of 64, of which the lowest bit in each byte is of no account. */
const toCipherKey = (session: Uint8Array, direction: Direction): { readonly key: Buffer; readonly iv: Buffer } => {
  const derived = md5(session, `Digest H(A1) to ${direction} sealing key magic constant`)
  const [first, second] = [toDesKey(derived.subarray(0, 7)), toDesKey(derived.subarray(7, 14))]
  return { key: Buffer.concat([first, second, first]), iv: derived.subarray(8) }
}

/** Seven bits in each byte, above the one of parity. */
const toDesKey = (bits: Buffer): Buffer => {
  const all = BigInt(`0x${bits.toString('hex')}`)
  return Buffer.from(Array.from({ length: 8 }, (_, at) => Number((all >> BigInt(7 * (7 - at))) & 0x7fn) << 1))
}

const md5 = (session: Uint8Array, words: string): Buffer => createHash('md5').update(session).update(words).digest()
