// node-only: a native addon
/** The package `kerberos`: the system's GSS-API (RFC 2743). It is optional, and loaded when Kerberos is asked for. */
import { isRecord } from '../is-record.ts'

/** One side of a conversation. Messages are base 64; what fails rejects with the library's own words. */
export type GssContext = {
  /** Takes the other side's last message, empty for the first one; returns the next one to send, if there is one. */
  step(message: string): Promise<string | null | undefined>
  readonly contextComplete: boolean
}

/** The authenticated peer: a principal, once the conversation is complete. */
export type GssAcceptor = GssContext & { readonly username: string | null | undefined }

/** The part of the package that is used. */
export type Kerberos = {
  /** @param service `HTTP@host` */
  initializeClient(
    service: string,
    options: { readonly principal: string; readonly mechOID: number },
  ): Promise<GssContext>
  /** @param service `HTTP@host`; empty for every service of the keytab */
  initializeServer(service: string): Promise<GssAcceptor>
}

/** The mechanism that HTTP speaks (RFC 4178), as the package numbers it. */
export const spnego = 6

/** Something of Kerberos failed: no ticket, no keytab, no KDC. The message holds no secret. */
export class KerberosError extends Error {
  override readonly name = 'KerberosError'
}

/** What is done where the package is missing, by the setting that wants it. */
const howToInstall =
  'the package kerberos is missing: npm install --no-save --save-prod kerberos@7 (on Debian it needs g++, make, python3 and libkrb5-dev)'

/** Any name that is not a literal, so that no tool follows it. */
const packageName: string = 'kerberos'

/** Loads the package. @param setting that asks for it @throws KerberosError saying how it is installed */
export const loadKerberos = async (setting: string): Promise<Kerberos> => {
  const loaded: unknown = await import(packageName).catch((cause: unknown) => {
    throw new KerberosError(`${setting} cannot be used: ${isMissing(cause) ? howToInstall : messageOf(cause)}`, {
      cause,
    })
  })
  const found = isRecord(loaded) && isRecord(loaded['default']) ? loaded['default'] : loaded
  if (isKerberos(found)) return found
  throw new KerberosError(
    `${setting} cannot be used: the installed package kerberos is not supported; expected version 7`,
  )
}

/** The library's words, on one line. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').trim()

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'

const isKerberos = (value: unknown): value is Kerberos =>
  isRecord(value) && typeof value['initializeClient'] === 'function' && typeof value['initializeServer'] === 'function'
