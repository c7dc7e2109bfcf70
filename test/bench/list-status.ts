/**
 * Lists a directory once over HTTP, whole or in the pages of `LISTSTATUS_BATCH`, and counts its entries.
 *
 *     node test/bench/list-status.ts '{"url":"http://127.0.0.1:8080/webhdfs/v1/many?op=LISTSTATUS","entries":250000}'
 *
 * prints a {@link ListStatusResult} as one line of JSON.
 */
import { Agent, get, type IncomingMessage } from 'node:http'

export type ListStatusOptions = {
  readonly url: string
  /** There have to be so many, whose names begin with `part-`. */
  readonly entries: number
  /** Whether the answers are pages; the next one is asked for with `startAfter`. */
  readonly isPaged?: boolean
}

/** Times in ms, of all requests together. */
export type ListStatusResult = {
  readonly totalMs: number
  /** Until the first byte of the body of the first answer. */
  readonly firstByteMs: number
  /** The slowest one. */
  readonly maxPageMs: number
  readonly pages: number
}

/** What is used of a page. */
type Page = {
  readonly DirectoryListing: {
    readonly partialListing: { readonly FileStatuses: { readonly FileStatus: readonly { pathSuffix: string }[] } }
    readonly remainingEntries: number
  }
}

const agent = new Agent({ keepAlive: true })

const run = async ({ url, entries, isPaged = false }: ListStatusOptions): Promise<ListStatusResult> => {
  const startedAt = performance.now()
  let firstByteMs: number | undefined
  let maxPageMs = 0
  let pages = 0
  let found = 0
  let next: string | undefined = url
  while (next !== undefined) {
    const askedAt = performance.now()
    const chunks: Buffer[] = []
    let rest = ''
    for await (const chunk of await ask(next)) {
      firstByteMs ??= performance.now() - startedAt
      if (isPaged) chunks.push(chunk)
      else [found, rest] = countNames(found, rest + (chunk as Buffer).toString('latin1'))
    }
    next = undefined
    if (isPaged) {
      const { partialListing, remainingEntries } = (JSON.parse(Buffer.concat(chunks).toString()) as Page)
        .DirectoryListing
      const names = partialListing.FileStatuses.FileStatus.map(({ pathSuffix }) => pathSuffix)
      found += names.length
      if (remainingEntries > 0) next = `${url}&startAfter=${encodeURIComponent(names.at(-1) ?? '')}`
    }
    maxPageMs = Math.max(maxPageMs, performance.now() - askedAt)
    pages++
  }
  if (found !== entries) throw new Error(`${url} has ${found} entries, not ${entries}`)
  return { totalMs: performance.now() - startedAt, firstByteMs: firstByteMs ?? 0, maxPageMs, pages }
}

const ask = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, answer => {
      if (answer.statusCode === 200) resolve(answer)
      else reject(new Error(`${url} was answered with ${answer.statusCode}`))
    }).on('error', reject)
  })

/** Names may be cut where one chunk ends. */
const countNames = (found: number, text: string): [found: number, rest: string] => {
  const parts = text.split('"part-')
  return [found + parts.length - 1, (parts.at(-1) ?? '').slice(-5)]
}

process.stdout.write(`${JSON.stringify(await run(JSON.parse(process.argv[2] ?? '')))}\n`)
// A connection that is kept alive would keep this process.
process.exit(0)
