// node-only: the file lock of SQLite
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readHolder } from '../directory/lock.ts'

/**
 * The process that runs on a spool, without taking its lock: a reader is refused while the lock is held.
 * @returns the holder as it names itself; undefined when the spool is free
 */
export const spoolHolder = (directory: string): string | undefined => {
  const path = join(directory, 'lock')
  if (!existsSync(path)) return undefined
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    database.exec('PRAGMA busy_timeout = 0')
    database.prepare('SELECT count(*) FROM sqlite_master').get()
    return undefined
  } catch {
    return readHolder(join(directory, 'lock.holder'))
  } finally {
    database.close()
  }
}
