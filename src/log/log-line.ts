import { stdSerializers } from 'pino'
import { currentTrace } from '../tracing/current-trace.ts'
import { toLogFields } from '../tracing/trace-context.ts'
import type { Logger, LogMethod } from './log.ts'

/** What a process or thread has logged, on its way to the one that writes the log. */
export type LogLine = {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

/** Logs where another process or thread writes the log: errors become plain fields, and the trace is that of here. */
export const createSendingLogger = (send: (line: LogLine) => void): Logger => {
  const logAs =
    (level: LogLine['level']): LogMethod =>
    (fields, message) => {
      const { err } = fields
      const plain = err instanceof Error ? { ...fields, err: stdSerializers.errWithCause(err) } : fields
      send({ level, fields: { ...toLogFields(currentTrace()), ...plain }, message })
    }
  return { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') }
}
