/** Notices when the other side stops moving; what the own side takes does not count. */
export type IdleTimer = {
  /** The other side is waited for from now on. */
  wait(): void
  /** The other side moved, or nobody waits for it any more. */
  rest(): void
}

/** Calls `onIdle` when the other side was waited for longer than `ms` without a break. */
export const createIdleTimer = (ms: number, onIdle: () => void): IdleTimer => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const rest = (): void => clearTimeout(timer)
  return {
    wait: () => {
      rest()
      timer = setTimeout(onIdle, ms)
    },
    rest,
  }
}
