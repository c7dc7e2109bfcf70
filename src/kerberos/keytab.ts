// node-only: reads the keytab
/**
 * Which principals a keytab has keys of (MIT Kerberos, "Keytab file format", version 2; big-endian):
 *
 *     05 02 { int32 size, entry of as many bytes }…
 *     entry: uint16 components, counted realm, counted component…, then what this does not look at
 *     counted: uint16 length, bytes
 *
 * A negative size is a hole where an entry was. Keys are not looked at.
 */
import { open } from 'node:fs/promises'
import { FormatError } from '../errors.ts'
import { KerberosError, messageOf } from './kerberos.ts'

/** Keytabs are small; more is another file. */
const maxKeytabBytes = 1_048_576

export type KeytabCheck = {
  /** That names the file, for messages. */
  readonly setting: string
  /** The file. */
  readonly keytab: string
  /** Whose key it must have, for messages. */
  readonly principal: string
  /** @default whether it is that principal */
  readonly isOne?: (principal: string) => boolean
}

/** Looks into a keytab. @throws KerberosError for a file that cannot be read, is not a keytab, or has not this key */
export const checkKeytab = async (check: KeytabCheck): Promise<void> => {
  const { setting, keytab, principal, isOne = one => one === principal } = check
  const principals = await readPrincipals(keytab).catch((cause: unknown) => {
    throw new KerberosError(`${setting} ${keytab} cannot be used: ${messageOf(cause)}`, { cause })
  })
  if (principals.some(isOne)) return
  const found = principals.slice(0, 5).join(', ') || 'no key at all'
  throw new KerberosError(`${setting} ${keytab} cannot be used: it has no key for ${principal}, but ${found}`)
}

const readPrincipals = async (path: string): Promise<readonly string[]> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxKeytabBytes))
    return readKeytabPrincipals(buffer.subarray(0, bytesRead))
  } finally {
    await file.close()
  }
}

/** @returns `HTTP/host@REALM`, each once @throws FormatError without a byte of it in the message */
export const readKeytabPrincipals = (bytes: Uint8Array): readonly string[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 2 || view.getUint16(0) !== 0x05_02) throw fault(0, 'expected 05 02, the beginning of a keytab')
  const principals = new Set<string>()
  let at = 2
  while (at + 4 <= bytes.length) {
    const size = view.getInt32(at)
    at += 4
    // Zeros fill up a file that is written in place.
    if (size === 0) break
    const end = at + Math.abs(size)
    if (end > bytes.length) throw fault(at, 'expected the rest of an entry')
    if (size > 0) principals.add(readPrincipal(new DataView(bytes.buffer, bytes.byteOffset + at, size), at))
    at = end
  }
  return [...principals]
}

const readPrincipal = (entry: DataView, offset: number): string => {
  let at = 0
  const next = (length: number): number => {
    if (at + length > entry.byteLength) throw fault(offset + at, 'expected the rest of a principal')
    at += length
    return at - length
  }
  const count = entry.getUint16(next(2))
  const text = (): string => {
    const length = entry.getUint16(next(2))
    return Buffer.from(entry.buffer, entry.byteOffset + next(length), length).toString('utf8')
  }
  const realm = text()
  return `${Array.from({ length: count }, text).join('/')}@${realm}`
}

const fault = (at: number, message: string): FormatError => new FormatError('keytab', at, message)
