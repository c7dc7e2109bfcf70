/**
 * Directories of a store: the common prefixes of its keys up to a `/`:
 *
 *     d/          an empty object that some tools make, so that an empty directory is there: not listed
 *     d/f         the file f
 *     d/e/x       the directory e
 *     d//x        what no path can name (an empty name, `.`, `..`, one of more than 255 bytes): not listed
 *
 * Entries come in the order of their keys, where a directory's name ends with `/`: `a-b` is before the directory `a`.
 * Where an object and a directory have one name, the object counts.
 */

import { compareTexts } from '../../text/text-order.ts'
import { throwIfAborted } from '../abortable.ts'
import type { FileStatus, FileSystem, ListOptions } from '../filesystem.ts'
import { toDirectoryStatus } from '../find-status.ts'
import { isEntryName } from '../path.ts'
import type { S3Client } from './client.ts'
import { type KeyPage, type ListedKey, listKeyPages } from './list-keys.ts'
import { hasKeysBelow, headObject, needEntry, toObjectStatus, toTime } from './objects.ts'
import { toDirectoryKey } from './place.ts'

const action = 'list'

/** Makes the `listStatus` of a store. Paths are as `parsePath` returns them. */
export const createS3Listing = (client: S3Client): FileSystem['listStatus'] =>
  async function* (path, { startAfter, signal }: ListOptions = {}) {
    throwIfAborted(signal, path)
    const prefix = toDirectoryKey(client.place, path)
    const below = path === '/' ? '' : path
    const after =
      startAfter === undefined ? undefined : await toStart(client, `${below}/${startAfter}`, prefix, startAfter)
    const isShown = createShown(client, below, startAfter)
    let isThere = path === '/'
    for await (const page of listKeyPages(client, {
      prefix,
      byDirectory: true,
      startAfter: after,
      path,
      action,
      signal,
    })) {
      isThere ||= page.keys.length + page.prefixes.length > 0
      const part: FileStatus[] = []
      for (const { name, object } of entriesOf(page, prefix)) {
        if (!(await isShown(name, object !== undefined))) continue
        part.push(toStatus(`${below}/${name}`, object))
      }
      if (part.length > 0) yield part
    }
    if (isThere) return
    const status = await needEntry(client, path, action)
    if (!status.isDirectory) yield [status]
  }

/** The key after which a listing continues past a name: all keys of a directory are skipped. */
const toStart = async (client: S3Client, path: string, prefix: string, name: string): Promise<string> => {
  const key = `${prefix}${name}`
  if (await headObject(client, path, action)) return key
  return (await hasKeysBelow(client, path, action)) ? `${key}/${lastCharacter}` : key
}

/** No text in UTF-8 sorts after it. */
const lastCharacter = '\u{10ffff}'

const toStatus = (path: string, object: ListedKey | undefined): FileStatus =>
  object ? toObjectStatus(path, { ...object, modificationTime: toTime(object.modified) }) : toDirectoryStatus(path)

/** A name in a directory, and its object; without one it is a directory. */
type Entry = { readonly name: string; readonly object: ListedKey | undefined }

/** Both kinds of a page in the order of their keys. */
function* entriesOf({ keys, prefixes }: KeyPage, prefix: string): Generator<Entry, void, undefined> {
  let at = 0
  const toName = (key: string): string => key.slice(prefix.length)
  for (const object of keys) {
    for (let other = prefixes[at]; other !== undefined && compareTexts(other, object.key) < 0; other = prefixes[at]) {
      yield { name: toName(other).slice(0, -1), object: undefined }
      at++
    }
    yield { name: toName(object.key), object }
  }
  for (const other of prefixes.slice(at)) yield { name: toName(other).slice(0, -1), object: undefined }
}

/** Says of each entry in turn whether it is shown: it has a name that paths have, and did not come before. */
const createShown = (client: S3Client, below: string, startAfter: string | undefined) => {
  /** Objects whose names begin the one at hand: a directory of the same name can still come. */
  const open: string[] = []
  return async (name: string, isObject: boolean): Promise<boolean> => {
    if (!isEntryName(name) || name === startAfter) return false
    for (let last = open.at(-1); last !== undefined && !name.startsWith(last); last = open.at(-1)) open.pop()
    if (isObject) {
      open.push(name)
      return true
    }
    if (open.at(-1) === name) return false
    // The object of the same name would have come before this listing began.
    return !startAfter?.startsWith(name) || (await headObject(client, `${below}/${name}`, action)) === undefined
  }
}
