import { readFile } from 'node:fs/promises'

/** The last lines of a log file, for the error of a process that did not start; empty without a file. */
export const tail = async (path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-15).join('\n')
}
