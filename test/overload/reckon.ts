import { readFileSync } from 'node:fs'
import { createLocalFileSystem } from '../../src/filesystem/local.ts'
import { readFiles } from '../suites/spool.ts'
import { findEvents } from './requests.ts'

/**
 * The answers that clients got for their events, against the contents of the file system; the last three are 0 when all
 * is well.
 */
export type Books = {
  readonly accepted: number
  readonly refused: number
  /** Different events that were found; more than accepted when a connection ended before its answer. */
  readonly found: number
  /** Accepted, and not found. */
  readonly lost: number
  /** Found more than once. */
  readonly twice: number
  /** Refused, and found all the same. */
  readonly refusedButKept: number
}

/**
 * Reads what generators wrote, and all events of a server that has drained.
 * @param root directory of its embedded file system
 * @param files as the generators were given
 */
export const reckon = async (root: string, files: readonly string[]): Promise<Books> => {
  const times = new Map<number, number>()
  for (const bytes of (await readFiles(await createLocalFileSystem({ root }))).values()) {
    for (const event of findEvents(bytes)) times.set(event, (times.get(event) ?? 0) + 1)
  }
  const accepted = files.flatMap(file => readNumbers(`${file}.accepted`))
  const refused = files.flatMap(file => readNumbers(`${file}.refused`))
  return {
    accepted: accepted.length,
    refused: refused.length,
    found: times.size,
    lost: accepted.filter(event => !times.has(event)).length,
    twice: [...times.values()].filter(count => count > 1).length,
    refusedButKept: refused.filter(event => times.has(event)).length,
  }
}

const readNumbers = (file: string): number[] => {
  const bytes = readFileSync(file)
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4))
}
