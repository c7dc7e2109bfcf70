/** A trial of two servers of the same files, and how each is run. */

import type { StartFor } from '../file-servers.ts'
import type { Sample } from '../measure.ts'
import type { Started } from '../others/other.ts'
import type { OpenPlace, Place } from '../places.ts'
import type { OpenTrial } from '../trial.ts'

/** A JVM compiles what is hot within some seconds, and so does Node; both sides have them. */
export const jvmWarmUpMs = 10_000

/** One run of one side. */
type Run<P extends Place> = (place: P) => Promise<Sample>

/** Opens the place, makes the files, and lets the two sides take turns. */
export const openBeside =
  <P extends Place>(
    open: OpenPlace<P>,
    fill: (place: P) => Promise<void>,
    { sluice, baseline }: { readonly sluice: Run<P>; readonly baseline: Run<P> },
  ): OpenTrial =>
  async options => {
    const place = await open(options)
    try {
      await fill(place)
    } catch (error) {
      await place.close()
      throw error
    }
    return { sluice: () => sluice(place), baseline: () => baseline(place), close: place.close }
  }

/** A run of a server that is started for it. */
export const served =
  <P extends Place, A>(start: StartFor<P, A>, measure: (server: Started & A, place: P) => Promise<Sample>): Run<P> =>
  async place => {
    const server = await start(place)
    try {
      return await measure(server, place)
    } finally {
      await server.stop()
    }
  }
