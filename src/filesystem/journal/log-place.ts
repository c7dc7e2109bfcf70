import type { FileSystem } from '../filesystem.ts'
import { FileSystemError } from '../filesystem.ts'
import type { LogName, Logs } from './logs.ts'

/** Logs in a directory, one of them, or a file of that; `file` is empty for the log itself. */
export type LogPlace = {
  readonly root: string
  readonly logs: Logs
  readonly log: LogName | undefined
  readonly file: string
}
export type InLog = LogPlace & { readonly log: LogName }

/** The file whose modification time is the counter of its owner. */
export const counterFile = 'alive'

export const isInLog = (place: LogPlace | undefined): place is InLog => place?.log !== undefined

/** A file system, and the places of logs in it. */
export type JournaledParts = {
  readonly fileSystem: FileSystem
  readonly placeOf: (path: string) => LogPlace | undefined
}

export const noSuchFile = (path: string): FileSystemError =>
  new FileSystemError('not-found', path, `Cannot use "${path}": there is no such file or directory`)
