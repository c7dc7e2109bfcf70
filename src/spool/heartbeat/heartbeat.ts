import type { Outage } from './outage.ts'

/** Something that time brings; it looks by itself whether it is due. */
export type Step = {
  readonly run: () => Promise<void>
  /** Hears of what `run` throws. */
  readonly outage: Pick<Outage, 'failed' | 'worked'>
  /** Whether it is over once `run` returns; otherwise `run` reports it. @default true */
  readonly endsOutage?: boolean
}

export type Heartbeat = {
  /** Starts every lane that is not under way; resolves when all of them are through. */
  readonly beat: () => Promise<void>
  /** Starts no further step; resolves when none is under way. */
  readonly stop: () => Promise<void>
}

/**
 * Periodic work, in lanes of steps. The steps of a lane come in order; no lane waits for another, because one may be
 * busy for long: a look at the free space must not wait for an upload. A step that fails holds up no other.
 */
export const createHeartbeat = (lanes: readonly (readonly Step[])[]): Heartbeat => {
  const running = new Map<readonly Step[], Promise<void>>()
  let isStopped = false

  const run = async (steps: readonly Step[]): Promise<void> => {
    for (const { run: step, outage, endsOutage = true } of steps) {
      if (isStopped) return
      try {
        await step()
        if (endsOutage) outage.worked()
      } catch (error) {
        outage.failed(error instanceof Error ? error.message : String(error), { err: error })
      }
    }
  }
  const settled = async (): Promise<void> => {
    await Promise.all(running.values())
  }
  return {
    beat: () => {
      for (const lane of lanes) {
        if (!running.has(lane))
          running.set(
            lane,
            run(lane).finally(() => running.delete(lane)),
          )
      }
      return settled()
    },
    stop: () => {
      isStopped = true
      return settled()
    },
  }
}
