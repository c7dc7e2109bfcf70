import { SluiceError } from '../errors.ts'
import type { Call } from '../http/call/call.ts'
import type { Logger } from '../log/log.ts'
import type { BodyEnd } from './body.ts'
import type { ToBodyOptions } from './context.ts'
import type { GatewayFigures } from './figures.ts'
import { isHangUp } from './hang-up.ts'
import { isDamagedFile } from './rows/row-files.ts'

/** Makes what counts the bytes of a body, and logs how it ends. */
export const createToBodyOptions =
  ({
    figures,
    logger,
  }: {
    readonly figures: Pick<GatewayFigures, 'addBytes'>
    readonly logger: Logger
  }): ToBodyOptions =>
  (call, stop) => ({
    onEnd: end => {
      figures.addBytes('out', end.bytes)
      logFailure(logger, call, end, isHangUp(call) || stop.signal.aborted)
    },
    stop: () => stop.abort(new DOMException('The client disconnected', 'AbortError')),
  })

/**
 * Only errors that the client may not see are worth an error in the log; a broken upstream, or file, shows as a broken
 * stream.
 */
const logFailure = (
  logger: Logger,
  call: Pick<Call, 'target'>,
  { error, bytes, cancelled = false }: BodyEnd,
  isHangUp: boolean,
): void => {
  if (cancelled || isHangUp) logger.debug({ target: call.target, bytes }, 'a client hung up')
  else if (error !== undefined && bytes > 0) {
    // A damaged file is not a failure of the server: the log gets what is wrong with it, and no stack.
    if (isDamagedFile(error)) {
      logger.warn({ reason: error.message, target: call.target, bytes }, 'a download stopped: the file is damaged')
      return
    }
    const level = error instanceof SluiceError ? 'warn' : 'error'
    logger[level]({ err: error, target: call.target, bytes }, 'a response was cut short: its source failed')
  }
}
