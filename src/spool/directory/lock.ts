// node-only: the file lock of SQLite
/**
 * One process per spool. Node has no file locks of its own, but SQLite does: an open transaction holds a kernel lock
 * (`fcntl`) that other processes see, in other containers too, and that the kernel drops when its holder ends,
 * however it ends.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDiskFull } from '../../disk/is-disk-full.ts'

/** The spool belongs to another process. */
export class SpoolLocked extends Error {
  override readonly name = 'SpoolLocked'
}

/**
 * Takes the lock of a spool directory.
 * @returns what lets it go
 * @throws SpoolLocked naming the process that holds it
 */
export const lockSpool = (directory: string): (() => void) => {
  const path = join(directory, 'lock')
  const holder = join(directory, 'lock.holder')
  const database = new DatabaseSync(path)
  try {
    // Not even a moment's wait: a holder keeps it for its whole life.
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    throw new SpoolLocked(`The spool ${directory} is in use by ${readHolder(holder)}`, { cause })
  }
  try {
    writeFileSync(holder, `process ${process.pid} on ${hostname()}, started ${new Date().toISOString()}`)
  } catch (error) {
    // On a full disk the lock holds all the same; only its holder has no name.
    if (!isDiskFull(error)) throw error
  }
  return () => database.close()
}

/** The holder named in the file, as it names itself. */
export const readHolder = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return 'another process'
  }
}
