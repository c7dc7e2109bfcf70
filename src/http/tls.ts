import { readFile } from 'node:fs/promises'
import { createServer, type Server, type ServerOptions } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { Logger } from '../log.ts'
import { type StopWatching, watchFiles } from './watch-files.ts'

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

const readPair = async ({ cert, key }: TlsFiles): Promise<{ readonly cert: Buffer; readonly key: Buffer }> => {
  try {
    const pair = { cert: await readFile(cert), key: await readFile(key) }
    createSecureContext(pair)
    return pair
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The certificate ${cert} with the key ${key} cannot be used: ${reason}`, { cause: error })
  }
}
