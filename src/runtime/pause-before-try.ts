import { setTimeout as delay } from 'node:timers/promises'

const minPauseMs = 20
const maxPauseMs = 2_000

/** Waits before another try at what others change, too: longer each time, and not as long as they do. @param tries so far */
export const pauseBeforeTry = (tries: number): Promise<unknown> =>
  delay(Math.random() * Math.min(maxPauseMs, minPauseMs * 2 ** tries))
