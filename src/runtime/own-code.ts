// node-only: reads files
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Tells whether the server's own files are still those of now. A thread that starts later loads what is there then: after an
 * upgrade under a running server that is other code, and the two would misread what they share.
 * @param directory with the code
 */
export const watchOwnCode = (directory = root): (() => boolean) => {
  const first = readCode(directory)
  return () => first === undefined || readCode(directory) === first
}

/** A hash of all modules; undefined where there are no files to read. */
const readCode = (directory: string): string | undefined => {
  try {
    const hash = createHash('sha256')
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(isModule).sort()
    for (const name of names) hash.update(`${name}\n`).update(readFileSync(join(directory, name)))
    return hash.digest('hex')
  } catch {
    return undefined
  }
}

const isModule = (name: string): boolean => /\.(?:[jt]s|json)$/.test(name) && !name.endsWith('.d.ts')
