import { crc32 } from 'node:zlib'
import { hasCode, refusal } from '../cluster/steps.ts'
import type { FileSystem } from '../filesystem.ts'
import { baseName } from '../path.ts'
import { inOnePiece } from '../publish/in-one-piece.ts'
import { temporaryName } from '../temporary-name.ts'
import { claimBytes, type DecodedEntry, damaged, decodeEntry } from './frame.ts'

/** The objects of one journal, by their numbers, which begin with 1. All reject with `FileSystemError`. */
export type JournalObjects = {
  /** The largest number; 0 for a journal without objects. */
  head(): Promise<number>
  /**
   * Writes an object unless one has its number. `foreign`: another object has it. Rejects while the outcome is unknown; the
   * same bytes sent again resolve with `done` if they are there.
   */
  put(number: number, bytes: Buffer<ArrayBuffer>): Promise<'done' | 'foreign'>
  /** The header of an object. Rejects with `not-found`. */
  look(number: number): Promise<DecodedEntry>
  /** The same; undefined if there is no such entry. */
  find(number: number): Promise<DecodedEntry | undefined>
  /** The bytes of an object. */
  read(number: number, range?: { readonly offset: number; readonly length: number }): Promise<Uint8Array>
  /** All objects, the largest number first. */
  list(): AsyncIterable<ListedObject>
  delete(number: number): Promise<void>
  pathOf(number: number): string
}

/** `isClaim`: as its length tells. */
export type ListedObject = { readonly number: number; readonly isClaim: boolean }

/** What a journal needs of a store. */
export type ObjectStore = Pick<FileSystem, 'publish' | 'open' | 'getFileStatus' | 'listStatus' | 'delete'>

/** Names count down, so that the first page of a listing has the head. */
const lastNumber = 999_999_999_999

const toName = (number: number): string => String(lastNumber - number).padStart(12, '0')

const parseName = (name: string): number | undefined => (/^\d{12}$/.test(name) ? lastNumber - Number(name) : undefined)

/** Bytes that have the header of most objects. */
const lookBytes = 8 * 1024

/** @param directory of the journal */
export const createJournalObjects = (store: ObjectStore, directory: string): JournalObjects => {
  const pathOf = (number: number): string => `${directory}/${toName(number)}`
  const list = async function* (): AsyncGenerator<ListedObject> {
    try {
      for await (const part of store.listStatus(directory)) {
        for (const { path, isDirectory, length } of part) {
          const number = isDirectory ? undefined : parseName(baseName(path))
          if (number !== undefined) yield { number, isClaim: length === claimBytes }
        }
      }
    } catch (error) {
      if (!hasCode(error, 'not-found')) throw error
    }
  }
  const read: JournalObjects['read'] = async (number, range) => {
    const pieces = await Array.fromAsync(await store.open(pathOf(number), range))
    const bytes = Buffer.concat(pieces)
    if (range && bytes.length < range.length) throw damaged(pathOf(number), `${bytes.length} bytes could be read of it`)
    return bytes
  }
  const look: JournalObjects['look'] = async number => {
    const path = pathOf(number)
    const { length } = await store.getFileStatus(path)
    const decode = async (bytes: number): Promise<DecodedEntry | number> =>
      decodeEntry(await read(number, { offset: 0, length: Math.min(length, bytes) }), path)
    const first = await decode(lookBytes)
    if (typeof first !== 'number') return first
    const all = first > length ? first : await decode(first)
    if (typeof all === 'number') throw damaged(path, `it has ${length} bytes of ${all}`)
    return all
  }
  return {
    pathOf,
    list,
    read,
    head: async () => {
      for await (const { number } of list()) return number
      return 0
    },
    put: async (number, bytes) => {
      const path = pathOf(number)
      const attempt = {
        temporary: `${directory}/${temporaryName()}`,
        length: bytes.length,
        crc: crc32(bytes),
        note: async () => {},
      }
      const unknown = (cause: unknown): Error =>
        refusal('unavailable', path, 'create', 'it is not known whether it is there', cause)
      const { outcome, failure } = await store.publish(path, inOnePiece(bytes), { attempt }).catch((error: unknown) => {
        // Callers take `not-found` as a log that was taken.
        throw hasCode(error, 'not-found') ? unknown(error) : error
      })
      if (outcome === 'done' || outcome === 'foreign') return outcome
      throw unknown(failure)
    },
    look,
    find: async number => {
      try {
        return await look(number)
      } catch (error) {
        if (hasCode(error, 'not-found')) return undefined
        throw error
      }
    },
    delete: async number => void (await store.delete(pathOf(number))),
  }
}
