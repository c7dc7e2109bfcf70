// node-only: the file lock of SQLite
/**
 * One tracker per directory. Node has no file locks, SQLite has: an open transaction holds a kernel lock that ends with
 * the process that holds it, however that ends.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** The directory belongs to another tracker. */
export class SpoolInUse extends Error {
  override readonly name = 'SpoolInUse'
}

/** Takes the lock and returns what lets it go. @throws SpoolInUse */
export const lockDirectory = (directory: string): (() => void) => {
  const database = new DatabaseSync(join(directory, 'lock'))
  try {
    database.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (cause) {
    database.close()
    throw new SpoolInUse(`The spool ${directory} is in use by another tracker`, { cause })
  }
  return () => database.close()
}
