import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Where a program runs, and what of its environment differs. */
export type At = { readonly cwd: string; readonly env?: Readonly<Record<string, string>> }

/** Runs a program to its end; its output when it succeeds. @throws Error with its last lines */
export const start = async (command: string, args: readonly string[], { cwd, env = {} }: At): Promise<string> => {
  try {
    const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1 << 26 }
    return (await execute(command, [...args], options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args[0] ?? ''} failed:\n${`${stdout}${stderr}`.slice(-4_000)}`, { cause: error })
  }
}

/** Something could not be downloaded: the machine is offline. */
export class CannotFetch extends Error {
  override readonly name = 'CannotFetch'
}

/** As {@link start}, for what needs the network. @throws CannotFetch */
export const fetchBy = async (command: string, args: readonly string[], at: At): Promise<void> => {
  await start(command, args, at).catch((cause: Error) => {
    throw new CannotFetch(cause.message, { cause })
  })
}

/** A sentence when a program cannot be run; undefined when it can. */
export const missingProgram = async (command: string, ...args: readonly string[]): Promise<string | undefined> =>
  await execute(command, [...args]).then(
    () => undefined,
    () => `"${[command, ...args].join(' ')}" does not work`,
  )
