import { childrenOf, childText, type XmlElement } from '../../formats/xml/xml-element.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import { refusal } from '../cluster/steps.ts'
import type { S3Call, S3Client } from './client.ts'

/** An object in a listing, under its whole key. */
export type ListedKey = {
  readonly key: string
  readonly length: number
  readonly modified: string | undefined
  /** Empty where the store does not list it. */
  readonly etag: string
}

/** Some keys, in the order of their UTF-8 bytes. */
export type KeyPage = {
  readonly keys: readonly ListedKey[]
  /** What keys begin with that were put together at a `/`, that included. */
  readonly prefixes: readonly string[]
  /** Asks for the next page; undefined where this is the last one. */
  readonly next: string | undefined
}

export type ListKeys = Pick<S3Call, 'path' | 'action' | 'signal' | 'maxRetries'> & {
  /** What keys begin with. */
  readonly prefix: string
  /** Puts keys together that are alike up to the next `/`. @default false */
  readonly byDirectory?: boolean
  /** Only keys behind this one. */
  readonly startAfter?: string | undefined
  /** Of the page before. */
  readonly next?: string | undefined
  /** @default 1 000, which is all that a store gives */
  readonly maxKeys?: number
}

/** One page of ListObjectsV2. */
export const listKeyPage = async (
  client: S3Client,
  { prefix, byDirectory = false, startAfter, next, maxKeys, ...how }: ListKeys,
): Promise<KeyPage> => {
  const query = {
    'list-type': '2',
    'continuation-token': next,
    delimiter: byDirectory ? '/' : undefined,
    // Keys can hold what XML cannot.
    'encoding-type': 'url',
    'max-keys': maxKeys === undefined ? undefined : String(maxKeys),
    prefix: prefix === '' ? undefined : prefix,
    'start-after': next === undefined ? startAfter : undefined,
  }
  const list = await client.xml({ method: 'GET', query, repeatable: true, ...how })
  if (list?.name !== 'ListBucketResult') throw refusal('unavailable', how.path, how.action, 'the answer is no listing')
  const isCut = childText(list, 'IsTruncated') === 'true'
  const page = toPage(list, isCut ? childText(list, 'NextContinuationToken') : undefined)
  // Taken for the end of the listing it would hide what follows.
  if (isCut && !page.next)
    throw refusal('unavailable', how.path, how.action, 'the listing is cut, and names no next page')
  // A recursive delete deletes what it names.
  if (page.keys.some(({ key }) => !key.startsWith(prefix)) || page.prefixes.some(one => !one.startsWith(prefix)))
    throw refusal('unavailable', how.path, how.action, 'the listing has keys that were not asked for')
  return page
}

/** All pages, of which one is asked for while the one before is taken. */
export async function* listKeyPages(
  client: S3Client,
  list: Omit<ListKeys, 'next' | 'maxKeys'>,
): AsyncGenerator<KeyPage, void, undefined> {
  const stop = new AbortController()
  const signal = list.signal ? AbortSignal.any([list.signal, stop.signal]) : stop.signal
  /** In the next turn, when the caller has not left with this page. */
  const ask = async (next: string): Promise<KeyPage> => {
    await nextTurn()
    return await listKeyPage(client, { ...list, next, signal })
  }
  try {
    let page = listKeyPage(client, { ...list, signal })
    for (let before: string | undefined; ; ) {
      const taken = await page
      const { next } = taken
      // A store that does not move on would be asked without an end.
      if (next !== undefined && next === before) {
        throw refusal('unavailable', list.path, list.action, 'the store repeats itself')
      }
      before = next
      if (next !== undefined) {
        page = ask(next)
        // Fails when its turn comes, or never, when the rest is not wanted.
        page.catch(() => {})
      }
      yield taken
      if (next === undefined) return
    }
  } finally {
    stop.abort()
  }
}

const toPage = (list: XmlElement, next: string | undefined): KeyPage => {
  const decode = readerOfKeys(list)
  return {
    keys: childrenOf(list, 'Contents').map(item => ({
      key: decode(childText(item, 'Key') ?? ''),
      length: Number(childText(item, 'Size') ?? 0),
      modified: childText(item, 'LastModified'),
      etag: childText(item, 'ETag') ?? '',
    })),
    prefixes: childrenOf(list, 'CommonPrefixes').map(item => decode(childText(item, 'Prefix') ?? '')),
    next,
  }
}

/** Reads keys of a listing as it has them. */
export const readerOfKeys = (list: XmlElement): ((text: string) => string) =>
  childText(list, 'EncodingType') === 'url' ? decodeKey : text => text

/** A space is a plus there, as in forms. */
export const decodeKey = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
