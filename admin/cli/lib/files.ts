import type { components } from '../../../src/contract/types.gen.ts'
import { parseJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'
import { usageError } from './failure.ts'
import type { Gateway } from './gateway.ts'

/** A file or directory, without its rows. */
export type FileEntry = Omit<components['schemas']['Entry'], 'content'>

export type FileListing = { readonly path: string; readonly entries: readonly FileEntry[] }

/** Rows of one or several files. */
export type FileRows = {
  readonly path: string
  /** Numbers as the files have them: of any length, `12.50` and `1.0` too. */
  readonly rows: readonly Readonly<Record<string, Value>>[]
  /** Files that could not be read (to the end). */
  readonly errors: readonly { readonly path: string; readonly error: string }[]
}

/** Entries asked for at once. */
const pageSize = 1_000

/** Lists a directory, page by page; all of it, or up to a limit. */
export const listDirectory = async (
  { client, ask }: Gateway,
  path: string,
  { recursive, limit = Number.POSITIVE_INFINITY }: { readonly recursive: boolean; readonly limit?: number | undefined },
): Promise<FileListing> => {
  const entries: FileEntry[] = []
  let startAfter: string | undefined
  while (entries.length < limit) {
    const size = Math.min(pageSize, limit - entries.length)
    const query = {
      path,
      content: false,
      ...(recursive ? { recursive } : { limit: size, ...(startAfter === undefined ? {} : { startAfter }) }),
    }
    const page = toListing(await ask(client.GET('/rest/1.0/json', { params: { query } }))).entries
    entries.push(...page.map(({ content: _content, ...entry }) => entry))
    const last = page.at(-1)
    if (recursive) entries.sort((a, b) => (a.path < b.path ? -1 : 1))
    if (recursive || page.length < size || !last) break
    startAfter = last.path.slice(last.path.lastIndexOf('/') + 1)
  }
  return { path, entries: Number.isFinite(limit) ? entries.slice(0, limit) : entries }
}

/** Decoded rows of a range. @throws CliError `usage` for a malformed range */
export const readRows = async (
  gateway: Gateway,
  path: string,
  { range, recursive }: { readonly range: string; readonly recursive: boolean },
): Promise<FileRows> => {
  if (!/^\d{1,15}-\d{1,15}$/.test(range))
    throw usageError(`--range ${range.slice(0, 40)}: expected first-last, such as 0-49`)
  const query = { path, range, recursive: recursive || undefined }
  const answer = await gateway.call('/rest/1.0/json', query, { headers: { accept: 'application/json' } })
  // Not through the client, whose numbers are those of JavaScript.
  const { entries } = toRowsListing(parseJson(await answer.text()))
  return {
    path,
    rows: entries.flatMap(entry => entry.content),
    errors: entries.flatMap(entry => (entry.error === undefined ? [] : [{ path: entry.path, error: entry.error }])),
  }
}

/** What is used of an entry. */
type RowsEntry = Pick<FileEntry, 'path' | 'error'> & { readonly content: FileRows['rows'] }

/** What the contract says of the answer. */
const toRowsListing = (data: unknown): { readonly entries: readonly RowsEntry[] } =>
  data as { readonly entries: readonly RowsEntry[] }

/** Columns of rows in the order in which they first appear. */
export const toColumns = (rows: FileRows['rows']): string[] => [...new Set(rows.flatMap(row => Object.keys(row)))]

/** Deletes. @returns the path as the server names it */
export const deletePath = async ({ client, ask }: Gateway, path: string, recursive: boolean): Promise<string> =>
  (await ask(client.DELETE('/rest/1.0', { params: { query: { path, ...(recursive ? { recursive } : {}) } } }))).path

/** The client's type of an answer hides that its read-only arrays are arrays. */
const toListing = (data: unknown): components['schemas']['Listing'] => data as components['schemas']['Listing']
