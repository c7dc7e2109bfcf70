/**
 * The records of issued tokens, on disk: a directory with one small file of JSON for each.
 *
 *     delegation-tokens/<SHA-256 of the token, in hexadecimal digits>
 *
 * A file is written whole, synced and renamed, so that it is there or not. Reading them does not reveal a token.
 */

import type { Disk } from '../disk/disk.ts'
import { isRecord } from '../is-record.ts'
import type { Logger } from '../log/log.ts'

/** What is known of one token. */
export type TokenRecord = {
  /** The subject that it represents. */
  readonly owner: string
  /** The name of who may renew and cancel it. */
  readonly renewer: string
  /** When it ends unless it is renewed, in ms since 1970. */
  readonly expiresAt: number
  /** When it ends in any case. */
  readonly maxDate: number
}

/** Keeps them. What it has done survives a power cut. */
export type TokenRecords = {
  /** All of them, by their keys. A malformed file is logged and removed. */
  load(): Promise<Map<string, TokenRecord>>
  /** Adds or replaces one; the first one makes the directory. */
  put(key: string, record: TokenRecord): Promise<void>
  /** Missing ones are fine. */
  remove(keys: readonly string[]): Promise<void>
}

const directory = 'delegation-tokens'
const keyPattern = /^[0-9a-f]{64}$/
const unfinished = '.new'
/** Files that are read at a time. */
const readsAtOnce = 64

export const createTokenRecords = (disk: Disk, { warn }: Pick<Logger, 'warn'>): TokenRecords => {
  const pathOf = (key: string): string => `${directory}/${key}`
  let isMade = false

  const read = async (key: string): Promise<TokenRecord | undefined> => {
    const record = parseRecord(await disk.read(pathOf(key)))
    if (record === undefined) {
      warn(
        { file: `${disk.directory}/${pathOf(key)}` },
        'what is known of an issued credential is damaged: it has ended',
      )
      await disk.unlink(pathOf(key))
    }
    return record
  }
  return {
    load: async () => {
      const records = new Map<string, TokenRecord>()
      const names = await listNames(disk)
      for (const name of names) if (name.endsWith(unfinished)) await disk.unlink(pathOf(name))
      const keys = names.filter(name => keyPattern.test(name))
      for (let at = 0; at < keys.length; at += readsAtOnce) {
        const part = keys.slice(at, at + readsAtOnce)
        const found = await Promise.all(part.map(read))
        for (const [i, key] of part.entries()) if (found[i]) records.set(key, found[i])
      }
      return records
    },

    put: async (key, record) => {
      if (!isMade) {
        await disk.mkdir(directory)
        await disk.fsyncDir('.')
        isMade = true
      }
      const path = pathOf(`${key}${unfinished}`)
      await disk.unlink(path)
      const file = await disk.create(path)
      try {
        try {
          await file.append(Buffer.from(JSON.stringify(record)))
          await file.fdatasync()
        } finally {
          await file.close()
        }
        await disk.rename(path, pathOf(key))
      } catch (error) {
        // On a full disk even names are many in the end.
        await disk.unlink(path).catch(() => {})
        throw error
      }
      await disk.fsyncDir(directory)
    },

    remove: async keys => {
      if (keys.length === 0) return
      for (const key of keys) await disk.unlink(pathOf(key))
      await disk.fsyncDir(directory)
    },
  }
}

const listNames = async (disk: Disk): Promise<readonly string[]> => {
  const names: string[] = []
  try {
    for await (const part of disk.names(directory)) names.push(...part)
  } catch (error) {
    // Where no token was ever asked for.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return names
}

const parseRecord = (bytes: Uint8Array): TokenRecord | undefined => {
  const value = parseJson(Buffer.from(bytes).toString())
  if (!isRecord(value)) return undefined
  const { owner, renewer, expiresAt, maxDate } = value
  const isComplete = typeof owner === 'string' && typeof renewer === 'string'
  if (!isComplete || typeof expiresAt !== 'number' || typeof maxDate !== 'number') return undefined
  return { owner, renewer, expiresAt, maxDate }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
