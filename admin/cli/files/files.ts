import { type Entry, readListing } from '../../../clients/gateway/read-rows.ts'
import type { components } from '../../../src/contract/types.gen.ts'
import { baseName } from '../../../src/filesystem/path.ts'
import { parseJson } from '../../../src/formats/json.ts'
import type { Value } from '../../../src/formats/number.ts'
import { CliError, exitCodes, usageError } from '../command/failure.ts'
import type { GatewayCalls } from './gateway.ts'

/** Rows of one or several files. */
export type RemoteRows = {
  readonly path: string
  /** Numbers as the files have them: of any length, `12.50` and `1.0` too. */
  readonly rows: readonly Readonly<Record<string, Value>>[]
  /** Files that could not be read (to the end). */
  readonly errors: readonly { readonly path: string; readonly error: string }[]
  /** How many rows were looked at, where some were looked for. */
  readonly searched?: number
  /** Whether there are directories whose files were not looked into. */
  readonly hasDirectories: boolean
}

/** What {@link listRemoteEntries} gives. */
export type ListRemoteOptions = {
  /** Everything below, directories after their contents. @default false */
  readonly recursive?: boolean | undefined
  /** The most entries. */
  readonly limit?: number | undefined
  /** Only names after this one. */
  readonly startAfter?: string | undefined
  readonly signal?: AbortSignal
}

/** Most entries that the gateway can be asked for at once. */
const maxLimit = 1_000_000

/**
 * What is in a directory, in the order of names, as it arrives; of a file, the file itself. An entry with an `error` is
 * a directory that could not be listed (to its end).
 */
export async function* listRemoteEntries(
  gateway: GatewayCalls,
  path: string,
  { recursive, limit = Number.POSITIVE_INFINITY, startAfter, signal }: ListRemoteOptions = {},
): AsyncGenerator<Entry, void, undefined> {
  const query = { path, content: false, recursive, startAfter, limit: limit <= maxLimit ? limit : undefined }
  let count = 0
  for await (const { kind, text } of readListing(gateway, query, signal)) {
    if (kind !== 'entry') continue
    const { content: _none, ...entry } = JSON.parse(text) as components['schemas']['Entry']
    yield entry
    if (++count >= limit) return
  }
}

/** Entries asked for at once where they are taken slowly. */
const pageSize = 1_000

/**
 * The entries of a directory, a page at a time, for a slow consumer: no listing is left half read, and one page is
 * held.
 */
export async function* listPages(
  gateway: GatewayCalls,
  path: string,
): AsyncGenerator<readonly Entry[], void, undefined> {
  let startAfter: string | undefined
  do {
    const page: Entry[] = []
    for await (const entry of listRemoteEntries(gateway, path, { limit: pageSize, startAfter })) page.push(entry)
    startAfter = page.length < pageSize ? undefined : baseName(page.at(-1)?.path ?? '')
    yield page
  } while (startAfter !== undefined)
}

/**
 * A file or directory with everything below, a directory before its entries. An entry that cannot be listed comes
 * again, with an error, unless the server does not answer at all.
 */
export async function* walkTree(gateway: GatewayCalls, directory: Entry): AsyncGenerator<Entry, void, undefined> {
  yield directory
  if (!directory.isDir) return
  try {
    for await (const page of listPages(gateway, directory.path))
      for (const entry of page) yield* walkTree(gateway, entry)
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode === exitCodes.unreachable) throw error
    yield { ...directory, error: error.message }
  }
}

/** Lists a directory; all of it, or up to a limit. */
export const listDirectory = async (
  gateway: GatewayCalls,
  path: string,
  options: ListRemoteOptions,
): Promise<Entry[]> => {
  const entries: Entry[] = []
  for await (const entry of listRemoteEntries(gateway, path, options)) entries.push(entry)
  return options.recursive ? entries.sort((a, b) => (a.path < b.path ? -1 : 1)) : entries
}

/** Decoded rows of a range. @throws CliError `usage` for a malformed range */
export const readRemoteRows = async (
  gateway: GatewayCalls,
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
): Promise<RemoteRows> => {
  if (!/^\d{1,15}-\d{1,15}$/.test(range))
    throw usageError(`--range ${range.slice(0, 40)}: expected first-last, such as 0-49`)
  const query = { path, range, columns, where, recursive: recursive || undefined, nulls: true }
  const answer = await gateway.call('/rest/1.0/json', query, { headers: { accept: 'application/json' } })
  // What the contract says of the answer, its numbers exact.
  const { entries } = parseJson(await answer.text()) as unknown as {
    readonly entries: readonly (Pick<Entry, 'path' | 'isDir' | 'error' | 'searched'> & {
      readonly content: RemoteRows['rows']
    })[]
  }
  const searched = entries.reduce((sum, entry) => sum + (entry.searched ?? 0), 0)
  return {
    path,
    ...(where === undefined ? {} : { searched }),
    hasDirectories: !recursive && entries.some(({ isDir }) => isDir),
    rows: entries.flatMap(entry => entry.content),
    errors: entries.flatMap(entry => (entry.error === undefined ? [] : [{ path: entry.path, error: entry.error }])),
  }
}

/** Columns of rows in the order in which they first appear. */
export const toColumns = (rows: RemoteRows['rows']): string[] => [...new Set(rows.flatMap(row => Object.keys(row)))]

/** Deletes. @returns the path as the server names it */
export const deleteRemote = async (gateway: GatewayCalls, path: string, recursive: boolean): Promise<string> => {
  const answer = await gateway.call('/rest/1.0', { path, recursive: recursive || undefined }, { method: 'DELETE' })
  return ((await answer.json()) as components['schemas']['Deleted']).path
}
