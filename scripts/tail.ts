import { readFile } from 'node:fs/promises'

/** The last lines of a log file, for the message of what did not start; empty where there is none. */
export const tail = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-15).join('\n')
}
