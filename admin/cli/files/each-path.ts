import { CliError, exitCodes, toFailure } from '../command/failure.ts'
import { styleError } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural } from '../print/units.ts'

/** Why one of several paths could not be served. */
export type PathFailure = { readonly path: string; readonly code: string; readonly message: string }

/** The failures of the paths of one command: each printed at once, and counted at the end. */
export type PathFailures = {
  readonly failures: readonly PathFailure[]
  /** Keeps a failure of one path. @throws the error, if it does not concern this path alone */
  add(path: string, error: unknown): void
  /** @throws CliError where something failed, unless `fail` only notes it */
  end(): void
}

/** Failures whose messages are kept; more are printed and counted. */
const maxKept = 10_000

/** What a command needs to report them. */
export type FailureTold = {
  readonly logToStderr: (text: string) => void
  readonly fail: (message: string, code: string) => void
}

export const createPathFailures = ({ logToStderr, fail }: FailureTold): PathFailures => {
  const failures: PathFailure[] = []
  let count = 0
  return {
    failures,
    add: (path, error) => {
      if (error instanceof CliError && error.exitCode === exitCodes.unreachable) throw error
      const { code, message } = toFailure(error)
      count++
      if (failures.length < maxKept) failures.push({ path, code, message })
      // Most messages name it.
      const text = message.includes(path) || message.includes(JSON.stringify(path)) ? message : `${path}: ${message}`
      logToStderr(`${styleError('red', '✗')} ${toSafeText(text)}`)
    },
    end: () => {
      if (count > 0) fail(`${plural(count, 'path')} failed`, failures[0]?.code ?? 'failed')
    },
  }
}

/** Does the same for each path; one that fails does not keep the next from its turn, and one alone just fails. */
export const forEachPath = async (
  paths: readonly string[],
  failed: PathFailures,
  work: (path: string) => Promise<void>,
): Promise<void> => {
  for (const path of paths) {
    try {
      await work(path)
    } catch (error) {
      if (paths.length === 1) throw error
      failed.add(path, error)
    }
  }
}
