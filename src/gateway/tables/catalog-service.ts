/** The catalog service of the settings, asked for the readers of tables: with the credentials of this server, and never for long. */
import { SluiceError } from '../../errors.ts'
import { FileSystemError } from '../../filesystem/filesystem.ts'
import { toAliases } from '../../filesystem/mounts/aliases.ts'
import type { MountTable } from '../../filesystem/mounts.ts'
import { parentPath, parsePath } from '../../filesystem/path.ts'
import { startTimeout } from '../../runtime/timers.ts'
import { type AnsweredTable, askTable } from '../../tables/rest/ask-table.ts'
import { createCatalogCalls } from '../../tables/rest/catalog-calls.ts'
import { toCatalogTable } from '../../tables/rest/catalog-table.ts'
import type { RestCatalogSettings } from '../../tables/rest/rest-settings.ts'
import { placeTable, type TablePlace } from '../../tables/table-place.ts'
import { maxRewrittenBytes } from '../iceberg/lead-through.ts'

/** What a catalog service says of the table that a directory is. */
export type ServiceAnswer = {
  /** The table, for messages. */
  readonly where: string
  /** The directory, as this server has it. */
  readonly expected: TablePlace
  /** Undefined where it has no such table. */
  readonly table: AnsweredTable | undefined
}

export type CatalogService = {
  /** Whether it decides about the table that a directory may be: a table of events. */
  readonly decides: (path: string) => boolean
  /**
   * Asks it, each time; but not for as long as a reader has waited in vain.
   * @throws SluiceError `unavailable` it does not say whether it has the table, or not in time; or what the signal has
   * @throws TableError what it answers is no table
   */
  readonly ask: (path: string, signal: AbortSignal) => Promise<ServiceAnswer>
}

export type CatalogServiceOptions = {
  readonly settings: RestCatalogSettings
  /** Says where a table at a path is, for every reader. */
  readonly fileSystem: Pick<MountTable, 'mountPoints' | 'mountOf' | 'urlOf'>
  /** Of events. */
  readonly directory: string
  /** A clock that never goes back. @default that of the process */
  readonly monotonicMs?: () => number
}

/** ms that a reader waits. */
const waitMs = 5_000

export const createCatalogService = (options: CatalogServiceOptions): CatalogService => {
  const { settings, fileSystem, directory, monotonicMs = () => performance.now() } = options
  const directories = toAliases(fileSystem, parsePath(directory))
  // Longer than a reader waits: it is known then that the catalog hangs, which concerns all its tables.
  const calls = createCatalogCalls(settings, { limits: { timeoutMs: 2 * waitMs, maxBytes: maxRewrittenBytes } })
  let hangsUntil = Number.NEGATIVE_INFINITY

  const toAway = (path: string, reason: string, cause?: unknown): SluiceError =>
    new SluiceError('unavailable', `The catalog ${settings.uri} is needed for "${path}": ${reason}`, {
      about: 'catalog-away',
      cause,
    })

  return {
    decides: path => directories.includes(parentPath(path)),
    ask: async (path, signal) => {
      // A walk through many tables does not wait for each.
      if (monotonicMs() < hangsUntil) throw toAway(path, toHung().message)
      const table = toCatalogTable(calls, settings, path)
      try {
        const answered = await waitFor(askTable(table), signal)
        return { where: table.where, expected: placeTable(fileSystem, path), table: answered }
      } catch (error) {
        if (!(error instanceof FileSystemError)) throw error
        if (error instanceof CatalogHangs) hangsUntil = monotonicMs() + waitMs
        throw toAway(path, error.message, error)
      }
    },
  }
}

class CatalogHangs extends FileSystemError {}

const toHung = (): CatalogHangs => new CatalogHangs('unavailable', '/', `it has not answered for ${waitMs / 1_000} s`)

/** Several requests may be needed for an answer. Rejects with {@link CatalogHangs} where they take longer. */
const waitFor = async <T>(answer: Promise<T>, signal: AbortSignal): Promise<T> => {
  const { promise: end, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const timer = startTimeout(() => reject(toHung()), waitMs)
  try {
    return await Promise.race([answer, end])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
