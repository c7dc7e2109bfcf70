/** Notices when the other side stops moving; what the own side takes does not count. */
import { startTimeout } from '../../runtime/timers.ts'
export type IdleTimer = {
  /** The other side is waited for from now on. */
  wait(): void
  /** The other side moved. */
  rest(): void
  /** It is over: a later {@link IdleTimer.wait} does nothing. */
  stop(): void
}

/** Calls `onIdle` when the other side was waited for longer than `ms` without a break. */
export const createIdleTimer = (ms: number, onIdle: () => void): IdleTimer => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  const rest = (): void => clearTimeout(timer)
  return {
    wait: () => {
      rest()
      if (!stopped) timer = startTimeout(onIdle, ms)
    },
    rest,
    stop: () => {
      stopped = true
      rest()
    },
  }
}
