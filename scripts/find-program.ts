import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Path of a program: in one of `first`, else on the `PATH`, else in one of `last`; undefined when it is nowhere. */
export const findProgram = async (
  name: string,
  first: readonly string[] = [],
  last: readonly string[] = [],
): Promise<string | undefined> => {
  const directories = [...first, ...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...last]
  for (const path of directories.map(directory => join(directory, name))) if (await isExecutable(path)) return path
  return undefined
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
