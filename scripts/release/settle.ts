import { chmodSync, lstatSync, lutimesSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Gives everything in a directory a mode and a time that depend neither on who made it nor on when. */
export const settle = (directory: string, programs: readonly string[], date: number): void => {
  // What is in a directory before the directory itself, whose time it would change.
  const below = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort().reverse()
  for (const name of [...below, '']) {
    const path = join(directory, name)
    const found = lstatSync(path)
    if (!found.isSymbolicLink()) chmodSync(path, found.isDirectory() || programs.includes(name) ? 0o755 : 0o644)
    lutimesSync(path, date, date)
  }
}
