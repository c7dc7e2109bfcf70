import { type DestinationStream, destination, pino, stdSerializers } from 'pino'
import { escapeJsonControls } from '../text/control-characters.ts'
import { currentTrace } from '../tracing/current-trace.ts'
import { toLogFields } from '../tracing/trace-context.ts'
import { formatLine } from './format-line.ts'
import { hideInText, hideSecrets } from './hide-secrets.ts'

/** Takes one line per event of operational interest; never one per request. Errors go under the key `err`. */
export type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** What rooms are given to log with. */
export type Logger = {
  readonly debug: LogMethod
  readonly info: LogMethod
  readonly warn: LogMethod
  readonly error: LogMethod
}

/** A logger of the process, with what is not written yet. */
export type ProcessLogger = Logger & {
  /** Writes what is still buffered; to be called before the process ends. */
  flush(): void
  /** What is logged from now on. */
  setLevel(level: LogLevel): void
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** How a process logs. */
export type LoggerOptions = {
  readonly level?: LogLevel
  /** `text` is for people; `json` has one object per line. */
  readonly format: 'json' | 'text'
  /** Takes whole lines. @default standard output */
  readonly write?: (line: string) => void
}

/** Logs nothing. */
export const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Buffered lines beyond this are dropped: a log that is not read must not fill the memory. */
const maxBufferedBytes = 4 * 2 ** 20

/** Makes the logger of the process. Secrets are hidden in every line. */
export const createLogger = ({ level = 'info', format, write }: LoggerOptions): ProcessLogger => {
  const out = write === undefined ? destination({ dest: 1, sync: false, maxLength: maxBufferedBytes }) : undefined
  const writeLine = write ?? ((line: string): void => void out?.write(line))
  const stream: DestinationStream = {
    write: line => writeLine(format === 'text' ? formatLine(line) : escapeJsonControls(line)),
  }
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      mixin: () => toLogFields(currentTrace()),
      formatters: { level: label => ({ level: label }), log: hideSecrets },
      serializers: { err: stdSerializers.errWithCause },
      hooks: { streamWrite: hideInText },
    },
    stream,
  )
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => out?.flushSync(),
    setLevel: next => {
      logger.level = next
    },
  }
}
