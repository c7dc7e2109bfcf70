import type { Store } from '../foreign/store.ts'

/** Whose log is in the file system: a collector's own, or one that another collector has taken over. */
export type StandingLog = {
  readonly id: string
  /** The id of the collector that has taken it. */
  readonly taker: string | undefined
  /** Whether nothing of it is left but the note that it was taken. */
  readonly isDone: boolean
}

/** Reads the directory of all logs, by their names. */
export const readLogs = async (store: Store, outputDirectory: string): Promise<readonly StandingLog[]> => {
  const directory = `${outputDirectory}/_log`
  const logs = (await store.list(directory)).map(async ({ path }) => {
    const [id = '', taker] = path.slice(directory.length + 1).split('.')
    const isDone = taker !== undefined && (await store.list(path)).every(entry => entry.path === `${path}/taken`)
    return { id, taker, isDone }
  })
  return await Promise.all(logs)
}
