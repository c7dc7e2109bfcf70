import type { Server } from '../servers.ts'

/** A server that takes load; nothing of it is left after `stop`. */
export type Started = Pick<Server, 'pid' | 'url' | 'stop'>

/** Software of others that takes the same events, on the core of the server. */
export type Other = {
  /** What was measured, with its version: `nginx 1.22.1`. @throws Skipped when this machine lacks it */
  describe(): Promise<string>
  /** Starts it with its files in this empty directory. @throws Skipped when this machine lacks it */
  start(directory: string): Promise<Started>
}
