import { createCipheriv, createDecipheriv } from 'node:crypto'
import { FormatError } from '../../../errors.ts'
import type { Protection } from '../socket/protection.ts'

/** Keys of AES in counter mode, as a data node draws them for one connection: `in` is to it, `out` is from it. */
export type AesKeys = {
  readonly inKey: Uint8Array
  readonly inIv: Uint8Array
  readonly outKey: Uint8Array
  readonly outIv: Uint8Array
}

const ivBytes = 16

/** `AES/CTR/NoPadding`: as many bytes as without it, and nothing that would show a change. @throws FormatError keys of no use */
export const aesProtection = ({ inKey, inIv, outKey, outIv }: AesKeys): Protection => {
  const cipher = createCipheriv(nameOf(inKey, inIv), inKey, inIv)
  const decipher = createDecipheriv(nameOf(outKey, outIv), outKey, outIv)
  return {
    *seal(parts) {
      for (const part of parts) yield cipher.update(part)
    },
    *open(bytes) {
      yield decipher.update(bytes)
    },
  }
}

const nameOf = (key: Uint8Array, iv: Uint8Array): 'aes-128-ctr' | 'aes-192-ctr' | 'aes-256-ctr' => {
  if (iv.length === ivBytes && key.length === 16) return 'aes-128-ctr'
  if (iv.length === ivBytes && key.length === 24) return 'aes-192-ctr'
  if (iv.length === ivBytes && key.length === 32) return 'aes-256-ctr'
  throw new FormatError('SASL', 0, `a key of AES of ${key.length} bytes, and ${iv.length} to begin with`)
}
