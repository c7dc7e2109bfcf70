// node-only: writes a file
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { destination } from 'pino'
import type { Logger } from '../../log/log.ts'
import type { OnAccess } from './access.ts'
import type { ToLine } from './lines.ts'
import { createMissingLines } from './missing-lines.ts'

/** A line for each request. */
export type AccessLog = {
  readonly record: OnAccess
  /** Continues in a file of the same name, after the old one was moved away. */
  reopen(): void
  /** Writes the buffered lines, as far as they are taken soon. */
  close(): Promise<void>
}

export type AccessLogOptions = {
  readonly toLine: ToLine
  /** @default standard output */
  readonly path: string | undefined
  /** The address of a client, by its peer and `X-Forwarded-For`. */
  readonly addressOf: (peer: string, forwardedFor: string | undefined) => string
  readonly logger: Logger
}

/** Lines beyond this that are not written are dropped: a log must not fill the memory. */
const maxBufferedBytes = 4 * 2 ** 20

/** A disk or a terminal that takes nothing does not hold up a stop for longer, in ms. */
const closeWithinMs = 1_000

/** @throws Error naming the file and the setting when it cannot be written */
export const openAccessLog = (options: AccessLogOptions): AccessLog => {
  const { toLine, path, addressOf, logger } = options
  if (path !== undefined) checkFile(path)
  const out = destination({ dest: path ?? 1, sync: false, maxLength: maxBufferedBytes })
  const missing = createMissingLines(logger)
  out.on('drop', () => missing.miss(1))
  out.on('error', missing.fail)
  return {
    record: access => void out.write(`${toLine(access, addressOf(access.peer, access.forwardedFor))}\n`),
    reopen: () => {
      if (path !== undefined) out.reopen()
    },
    close: async () => {
      const closed = once(out, 'close').catch(missing.fail)
      out.end()
      await Promise.race([closed, sleep(closeWithinMs, undefined, { ref: false })])
      missing.close()
    },
  }
}

const checkFile = (path: string): void => {
  try {
    closeSync(openSync(path, 'a'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The access log cannot be written: ${reason}; change log.access-file.`, { cause: error })
  }
}
