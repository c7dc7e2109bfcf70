import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord } from '../../src/is-record.ts'
import type { Stage } from './stage.ts'

/** What the server printed in a run. */
export type ServerLog = {
  /** Messages of warnings and errors. */
  readonly warnings: readonly string[]
  /** Keys, tickets and tokens found in it, as sentences; they do not repeat the secret. */
  readonly problems: readonly string[]
}

export const readServerLog = async ({ realm }: Stage, workDirectory: string): Promise<ServerLog> => {
  const text = await readFile(join(workDirectory, 'log'), 'utf8')
  const secrets = (await realm?.secrets()) ?? []
  const shown = secrets.filter(secret => text.includes(secret))
  return {
    warnings: text.split('\n').flatMap(toWarning),
    problems: shown.length === 0 ? [] : [`${shown.length} keys, tickets or tokens are in the log`],
  }
}

const toWarning = (line: string): readonly string[] => {
  try {
    const fields: unknown = JSON.parse(line)
    return isRecord(fields) && fields['level'] !== 'info' ? [String(fields['msg'])] : []
  } catch {
    // Last words of a process that did not start.
    return []
  }
}
