import { commitAll } from '../../integration/clients/server.ts'
import { createSluice, type Sluice, type SluiceOptions } from '../../suites/sluice-process.ts'

/**
 * Starts a server, has events sent to it three times, and flushes each time, so that each has files of its own.
 * @param send gets the URL to send to, and 0 to 2
 */
export const writeEvents = async (
  { settings = [], ...options }: SluiceOptions,
  send: (server: string, flush: number) => Promise<void>,
): Promise<Sluice> => {
  const sluice = await createSluice({ ...options, settings: [...likeTables, ...settings] })
  try {
    await sluice.start()
    for (const flush of [0, 1, 2]) {
      await send(urlOf(sluice, 'server'), flush)
      await commitAll(urlOf(sluice, 'admin'))
    }
    return sluice
  } catch (error) {
    await sluice.close()
    throw error
  }
}

/** Flushed on request, so that it is known what is in which file. */
const likeTables = ['collector.output.layout=hive', 'collector.diskspool.flush-interval-seconds=3600']

export const urlOf = (sluice: Sluice, listener: string): string => {
  const url = sluice.urls()?.[listener]
  if (url === undefined) throw new Error('The server does not run')
  return url
}
