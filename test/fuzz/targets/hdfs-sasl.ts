import { FormatError } from '../../../src/errors.ts'
import { DataTransferEncryptorMessage } from '../../../src/filesystem/hdfs/data-node/handshake.ts'
import { delimited } from '../../../src/filesystem/hdfs/protobuf/message.ts'
import { RpcResponseHeader, RpcSasl } from '../../../src/filesystem/hdfs/rpc/messages.ts'
import { wrapCalls } from '../../../src/filesystem/hdfs/rpc/wrapped-calls.ts'
import type { Protection } from '../../../src/filesystem/hdfs/socket/protection.ts'
import { aesProtection } from '../../../src/filesystem/hdfs/tokens/aes.ts'
import { answerChallenge, SaslError } from '../../../src/filesystem/hdfs/tokens/digest-md5.ts'
import { sealedFrames } from '../../../src/filesystem/hdfs/tokens/sealed-frames.ts'
import {
  createSecurityLayer,
  type Direction,
  type ProtectedQop,
} from '../../../src/filesystem/hdfs/tokens/security-layer.ts'
import { tried } from '../tried.ts'

/** SASL of name nodes and data nodes: the first byte says which part of it the others are. */
export const name = 'hdfs-sasl'

export const dictionary = [
  'realm="0"',
  'nonce="x"',
  'qop="auth-conf,auth-int,auth"',
  'cipher="3des"',
  'algorithm=md5-sess',
]

const session = Buffer.alloc(16, 7)
const maxFrameBytes = 1_048_576
const message = Buffer.from('some words of the other side, in several frames')
const header = RpcResponseHeader.encode({ callId: -33 >>> 0, status: 0 })

const framesOf = (qop: ProtectedQop, side?: Direction): Protection =>
  sealedFrames(createSecurityLayer(qop, session, side), maxFrameBytes)
const callsOf = (side?: Direction): Protection =>
  wrapCalls(createSecurityLayer('auth-int', session, side), header, maxFrameBytes)
const sentBy = (other: Protection): Buffer =>
  Buffer.concat(
    [message.subarray(0, 9), message.subarray(9, 10), message.subarray(10)].flatMap(one => [...other.seal([one])]),
  )

/** The output is exactly what the other side put in, however it arrives. */
const opens =
  (create: () => Protection) =>
  (bytes: Uint8Array): void => {
    const protection = create()
    const opened: Buffer[] = []
    tried(() => {
      for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 3) % 61) {
        for (const one of protection.open(Buffer.from(bytes.subarray(at, at + size)))) if (one) opened.push(one)
      }
    })
    const text = Buffer.concat(opened)
    if (!text.equals(message.subarray(0, text.length))) throw new Error(`${text.toString('hex')} came out`)
  }

const digest = { username: 'dQ==', password: 'cA==', digestUri: 'hdfs/0', setting: 'dfs.data.transfer.protection' }

const readings: readonly ((bytes: Uint8Array) => void)[] = [
  bytes => {
    const { response, check } = answerChallenge(bytes, digest, 'Y25vbmNl')
    if (!response.includes(`username="${digest.username}",`)) throw new Error(response.toString())
    check(bytes)
  },
  bytes => void answerChallenge(bytes, { ...digest, isPrivate: true }).check(bytes),
  opens(() => framesOf('auth-int')),
  opens(() => framesOf('auth-conf')),
  opens(() => callsOf()),
  bytes => {
    const { cipherOption } = DataTransferEncryptorMessage.decode(bytes)
    for (const { inKey = message, inIv = message, outKey = message, outIv = message } of cipherOption) {
      tried(() => createSecurityLayer('auth-conf', session).unwrap(inKey))
      tried(() => [...aesProtection({ inKey, inIv, outKey, outIv }).open(Buffer.from(bytes))])
    }
  },
]

const challenge = 'realm="0",nonce="x",qop="auth-int",cipher="rc4,3des",charset=utf-8,algorithm=md5-sess'
const key = Buffer.alloc(16, 1)

export const corpus = (): Uint8Array[] =>
  [
    Buffer.from(challenge),
    Buffer.from(challenge.replace('auth-int', 'auth,auth-conf')),
    sentBy(framesOf('auth-int', 'server-to-client')),
    sentBy(framesOf('auth-conf', 'server-to-client')),
    sentBy(
      sealedFrames(createSecurityLayer('auth-int', session, 'server-to-client'), maxFrameBytes, {
        pack: token => delimited(header, RpcSasl.encode({ state: 5, token, auths: [] })),
        unpack: frame => frame,
      }),
    ),
    DataTransferEncryptorMessage.encode({
      status: 0,
      payload: Buffer.from('rspauth=0'),
      cipherOption: [{ suite: 2, inKey: key, inIv: key, outKey: key, outIv: key }],
    }),
  ].map((bytes, at) => Buffer.concat([Uint8Array.of(at), bytes]))

export const run = (bytes: Uint8Array): void => {
  const [first = 0] = bytes
  tried(() => readings[first % readings.length]?.(bytes.subarray(1)), FormatError, SaslError)
}
