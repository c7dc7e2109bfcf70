import { SluiceError } from '../../errors.ts'

/** What hears of it. */
export type LogFailureOptions = {
  /** The log turns batches away from now on: a write failed in this segment, or it could not be opened or handed on. */
  readonly onFailed?: ((error: unknown, segment: number) => void) | undefined
  /** Called before each retry. */
  readonly onRetried?: (() => void) | undefined
  /** A batch is kept again. */
  readonly onRecovered?: (() => void) | undefined
}

/** Whether the log takes batches, and why not. */
export type LogFailure = {
  begin(error: unknown, segment: number): void
  /** Batches are taken again; whether one is kept has to be seen. */
  retry(): void
  /** A batch was kept. */
  end(): void
  /** @throws SluiceError `unavailable` while batches are turned away */
  check(): void
  /** Undefined while batches are taken. */
  readonly error: unknown
}

export const createLogFailure = ({ onFailed, onRetried, onRecovered }: LogFailureOptions): LogFailure => {
  let failed: unknown
  /** From a failure until a batch is kept again. */
  let isTroubled = false
  return {
    begin: (error, segment) => {
      failed = error
      isTroubled = true
      onFailed?.(error, segment)
    },
    retry: () => {
      failed = undefined
      onRetried?.()
    },
    end: () => {
      if (!isTroubled) return
      isTroubled = false
      onRecovered?.()
    },
    check: () => {
      if (failed === undefined) return
      throw toLogRefusal('The spool cannot be written', failed)
    },
    get error() {
      return failed
    },
  }
}

/** What a request hears that the log does not keep: the title names the disk, unless the cause knows better. */
export const toLogRefusal = (message: string, cause: unknown): SluiceError => {
  if (!(cause instanceof SluiceError)) return new SluiceError('unavailable', message, { about: 'spool-failed', cause })
  const { about, headers } = cause
  return new SluiceError('unavailable', `${message}: ${cause.message}`, { about, headers, cause })
}
