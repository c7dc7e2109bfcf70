// node-only: a child process
import { spawn } from 'node:child_process'

/** How long the engine may take to end, in ms, before it is ended from outside. */
const graceMs = 2_000

/**
 * Ends the process with a code, also while a call to the operating system hangs: `process.exit` waits for the threads
 * that are in one, for good where a disk does not answer. It is then ended by SIGKILL from outside, by a process that
 * ends by itself when this one does.
 * @param mayHang whether to reckon with that; where a file is still being worked on that is done in any case
 */
export const endProcess = (code: number, mayHang: boolean): never => {
  if (mayHang || hasOpenCalls()) startGuard()
  process.exit(code)
}

const hasOpenCalls = (): boolean => process.getActiveResourcesInfo().some(name => name.startsWith('FSReq'))

const startGuard = (): void => {
  const script = `setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${graceMs})
    process.stdin.on('close', () => process.exit()).resume()`
  const guard = spawn(process.execPath, ['--eval', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // Without it the exit does what it can.
  guard.on('error', () => {})
  guard.unref()
}
