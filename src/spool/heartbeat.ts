import type { SpoolLogger } from './spool-options.ts'

/** Something that time brings; it looks by itself whether it is due. */
export type Step = () => Promise<void>

export type Heartbeat = {
  /** Starts every lane that is not under way; resolves when all of them are through. */
  readonly beat: () => Promise<void>
  /** Starts no further step; resolves when none is under way. */
  readonly stop: () => Promise<void>
}

/**
 * What time brings, in lanes of steps. The steps of a lane come in order; no lane waits for another, because one may be
 * busy for long: a look at the free space must not wait for an upload. A step that fails holds up no other.
 */
export const createHeartbeat = (lanes: readonly (readonly Step[])[], log: SpoolLogger): Heartbeat => {
  const running = new Map<readonly Step[], Promise<void>>()
  let isStopped = false

  const run = async (steps: readonly Step[]): Promise<void> => {
    for (const step of steps) {
      if (isStopped) return
      await step().catch((error: unknown) =>
        log.warn({ err: error }, 'the spool could not finish a step, will be repeated'),
      )
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
