import {
  decodeDelegationTokenIdentifier,
  encodeDelegationTokenIdentifier,
} from '../../../src/formats/delegation-token-identifier.ts'
import { decodeHadoopToken, encodeHadoopToken } from '../../../src/formats/hadoop-token.ts'

/** Tokens as clients show them, with what they say about themselves. */
export const name = 'delegation-token'

const identifier = Buffer.from('000f626f6240534c554943452e54455354047961726e008a012fb7dd05308a012fdbe989300501', 'hex')

export const corpus = (): Uint8Array[] => [
  Buffer.from(
    encodeHadoopToken({
      identifier,
      password: Buffer.alloc(32, 7),
      kind: 'WEBHDFS delegation',
      service: '127.0.0.1:80',
    }),
  ),
  Buffer.concat([Uint8Array.of(1), identifier]),
]

/** Everything that can be read can be written, and reads as the same. A first byte of 1 precedes a bare identifier. */
export const run = (bytes: Uint8Array): void => {
  const isBare = bytes[0] === 1
  const shown = isBare ? bytes.subarray(1) : decodeHadoopToken(Buffer.from(bytes).toString('latin1')).identifier
  const read = decodeDelegationTokenIdentifier(shown)
  const again = decodeDelegationTokenIdentifier(encodeDelegationTokenIdentifier(read))
  if (JSON.stringify(again) !== JSON.stringify(read)) throw new Error(`${JSON.stringify(read)} is another`)
}
