import type { Query } from '../../../clients/gateway/connection.ts'
import type { components } from '../../../src/contract/types.gen.ts'
import { parseJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'
import { usageError } from './failure.ts'
import type { Gateway } from './gateway.ts'

type Entry = components['schemas']['Entry']

/** Rows of one or several files. */
export type FileRows = {
  readonly path: string
  /** Numbers as the files have them: of any length, `12.50` and `1.0` too. */
  readonly rows: readonly Readonly<Record<string, Value>>[]
  /** Files that could not be read (to the end). */
  readonly errors: readonly { readonly path: string; readonly error: string }[]
  /** How many rows were looked at, where some were looked for. */
  readonly searched?: number
}

/** Entries asked for at once. */
const pageSize = 1_000

/** Lists a directory, page by page; all of it, or up to a limit. */
export const listDirectory = async (
  gateway: Gateway,
  path: string,
  { recursive, limit = Number.POSITIVE_INFINITY }: { readonly recursive: boolean; readonly limit?: number | undefined },
) => {
  const entries: Omit<Entry, 'content'>[] = []
  let startAfter: string | undefined
  while (entries.length < limit) {
    const size = Math.min(pageSize, limit - entries.length)
    const query = { path, content: false, ...(recursive ? { recursive } : { limit: size, startAfter }) }
    const page = (await readListing<Entry>(gateway, query)).entries
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
  {
    range,
    columns,
    where,
    recursive,
  }: {
    readonly range: string
    readonly columns?: string | undefined
    readonly where?: string | undefined
    readonly recursive: boolean
  },
): Promise<FileRows> => {
  if (!/^\d{1,15}-\d{1,15}$/.test(range))
    throw usageError(`--range ${range.slice(0, 40)}: expected first-last, such as 0-49`)
  const query = { path, range, columns, where, recursive: recursive || undefined }
  const { entries } = await readListing<
    Pick<Entry, 'path' | 'error' | 'searched'> & { readonly content: FileRows['rows'] }
  >(gateway, query)
  const searched = entries.reduce((sum, entry) => sum + (entry.searched ?? 0), 0)
  return {
    path,
    ...(where === undefined ? {} : { searched }),
    rows: entries.flatMap(entry => entry.content),
    errors: entries.flatMap(entry => (entry.error === undefined ? [] : [{ path: entry.path, error: entry.error }])),
  }
}

/** What the contract says of the answer, its numbers exact. */
const readListing = async <Entry>(gateway: Gateway, query: Query): Promise<{ readonly entries: readonly Entry[] }> => {
  const answer = await gateway.call('/rest/1.0/json', query, { headers: { accept: 'application/json' } })
  const listing: unknown = parseJson(await answer.text())
  return listing as { readonly entries: readonly Entry[] }
}

/** Columns of rows in the order in which they first appear. */
export const toColumns = (rows: FileRows['rows']): string[] => [...new Set(rows.flatMap(row => Object.keys(row)))]

/** Deletes. @returns the path as the server names it */
export const deletePath = async (gateway: Gateway, path: string, recursive: boolean): Promise<string> => {
  const answer = await gateway.call('/rest/1.0', { path, recursive: recursive || undefined }, { method: 'DELETE' })
  return ((await answer.json()) as components['schemas']['Deleted']).path
}
