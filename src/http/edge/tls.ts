import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { createWatched, type Watched } from '../../current.ts'
import type { Logger } from '../../log/log.ts'
import { watchFiles } from './watch-files.ts'

/**
 * TLS 1.2 and 1.3, with forward secrecy and authenticated encryption only: what every browser and client of the last ten
 * years speaks. Node's own list has ciphers without either, and its lowest version can be changed from outside.
 */
const security = {
  minVersion: 'TLSv1.2',
  honorCipherOrder: true,
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
} as const satisfies SecureContextOptions

/** PEM files of a listener. */
export type TlsFiles = { readonly cert: string; readonly key: string }

/** A certificate chain and its private key, as PEM. */
export type KeyPair = { readonly cert: string; readonly key: string }

/** The certificate of a listener, which can become another one while it listens. */
export type Certificate = Watched<KeyPair> & { close(): void }

/** Everything that a secure context needs; it replaces all of the last one. */
export const toSecureContext = ({ cert, key }: KeyPair): SecureContextOptions => ({ ...security, cert, key })

/**
 * Reads a pair of files now and after they change; a bad pair is logged and the one before stays.
 * @throws Error naming the files when they cannot be used now
 */
export const openCertificate = async (files: TlsFiles, logger: Logger, everyMs?: number): Promise<Certificate> => {
  const pair = createWatched(await readPair(files))
  const readAgain = async (): Promise<void> => {
    try {
      pair.set(await readPair(files))
      logger.info({ cert: files.cert }, 'certificate read again')
    } catch (error) {
      logger.warn({ err: error }, 'the new certificate cannot be used; the old one remains in effect')
    }
  }
  const close = await watchFiles([files.cert, files.key], readAgain, everyMs)
  return { ...pair, close }
}

const readPair = async ({ cert, key }: TlsFiles): Promise<KeyPair> => {
  try {
    const pair = { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') }
    createSecureContext(toSecureContext(pair))
    return pair
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The certificate ${cert} with the key ${key} cannot be used: ${reason}`, { cause: error })
  }
}
