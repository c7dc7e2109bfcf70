/** Local paths for files of the gateway: below the given directory, whatever their names. */
import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { CliError } from '../command/failure.ts'

/**
 * The names of a path below a directory of the gateway, each fit to be a name here.
 * @throws CliError `bad-name` for one that would lead elsewhere
 */
export const toLocalNames = (path: string, directory: string): string[] => {
  const base = directory === '/' ? '/' : `${directory}/`
  const names = path.slice(base.length).split('/')
  const bad = path.startsWith(base) ? names.find(isBadName) : path
  if (bad !== undefined)
    throw new CliError(`${JSON.stringify(bad)} is not a valid file name on this system`, { code: 'bad-name' })
  return names
}

const isBadName = (name: string): boolean =>
  name === '' || name === '.' || name === '..' || name.includes('\0') || name.includes(sep) || isPartName(name)

/** Makes a directory below another one, which is there. @throws CliError `not-directory`: links are not followed */
export const makeLocalDirectory = async (directory: string, names: readonly string[]): Promise<string> => {
  let path = directory
  for (const name of names) {
    path = join(path, name)
    await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      if (!(await lstat(path)).isDirectory())
        throw new CliError(`${path} exists and is not a directory`, { code: 'not-directory' })
    })
  }
  return path
}

/** Where a file is while it is downloaded: beside its place, under a name that is never too long. */
export const toPartFile = (file: string): string =>
  join(dirname(file), `.sluice-${createHash('sha256').update(basename(file)).digest('hex').slice(0, 16)}.part`)

/** Whether a name is one of those, or of what is kept beside it. */
export const isPartName = (name: string): boolean => /^\.sluice-[0-9a-f]{16}\.part(\.json)?$/.test(name)
