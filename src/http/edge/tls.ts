import { readFile } from 'node:fs/promises'
import { createServer, type Server, type ServerOptions } from 'node:https'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { Logger } from '../../log/log.ts'
import { type StopWatching, watchFiles } from './watch-files.ts'

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

/** Makes an HTTPS server. @throws Error naming the files when they cannot be used */
export const createTlsServer = async (files: TlsFiles, options: ServerOptions): Promise<Server> =>
  createServer({ ...options, ...(await readPair(files)) })

/** Gives new connections the new certificate after its files change; a bad pair is logged and the old one stays. */
export const reloadOnChange = (
  server: Server,
  files: TlsFiles,
  logger: Logger,
  everyMs?: number,
): Promise<StopWatching> =>
  watchFiles(
    [files.cert, files.key],
    async () => {
      try {
        server.setSecureContext(await readPair(files))
        logger.info({ cert: files.cert }, 'certificate read again')
      } catch (error) {
        logger.warn({ err: error }, 'the new certificate cannot be used, the old one stays')
      }
    },
    everyMs,
  )

/** Everything that a secure context needs; it replaces all of the last one. */
const readPair = async ({ cert, key }: TlsFiles): Promise<SecureContextOptions> => {
  try {
    const pair = { ...security, cert: await readFile(cert), key: await readFile(key) }
    createSecureContext(pair)
    return pair
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The certificate ${cert} with the key ${key} cannot be used: ${reason}`, { cause: error })
  }
}
