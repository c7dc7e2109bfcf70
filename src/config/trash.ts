import { type ClusterSettings, clustersOf } from './clusters.ts'
import type { Settings } from './table.ts'

/** A day: what is deleted by mistake is missed the next morning at the latest. */
const embeddedMinutes = 24 * 60

/**
 * Minutes that the trash keeps what the pages delete; 0 where nothing is kept. Clusters have a trash of their own,
 * whose rules this server does not know: there it is off unless the setting says otherwise.
 */
export const toTrashMinutes = (settings: Pick<Settings, 'gateway.trash'> & ClusterSettings): number => {
  const isLocal = clustersOf(settings).every(({ url }) => url.startsWith('file:'))
  return settings['gateway.trash'] ?? (isLocal ? embeddedMinutes : 0)
}
