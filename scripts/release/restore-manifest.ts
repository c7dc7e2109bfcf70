import { existsSync, renameSync } from 'node:fs'

/** Where the clone's manifest is while another has its place. */
export const keptManifest = '.package.json.tmp'

/** Puts the clone's manifest back, where another took its place. */
export const restoreManifest = (): void => {
  if (existsSync(keptManifest)) renameSync(keptManifest, 'package.json')
}
