// node-only: child processes
import nodeModule from 'node:module'
import { dirname } from 'node:path'

/** The environment of a child: code that this process keeps compiled is kept for it, too, and it starts in half the time. */
export const childEnvironment = (): NodeJS.ProcessEnv => {
  // Of this version of the engine; what is asked for is the directory of all.
  const cache = nodeModule.getCompileCacheDir?.()
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) }
}

/** Why a child is no longer there, for a sentence about it. */
export const describeChildEnd = (code: number | null, signal: NodeJS.Signals | null): string => {
  // The engine ends a process that way whose heap is full.
  if (signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL') return 'took more memory than it may have'
  return signal === null ? `ended with code ${code}` : `was ended by ${signal}`
}
