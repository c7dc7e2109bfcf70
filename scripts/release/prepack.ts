/** Runs before `npm pack` packs: builds, and puts the manifest to install in place of the clone's. */
import { buildDist } from './dist.ts'
import { replaceManifest } from './replace-manifest.ts'

await buildDist('dist')
// npm runs this by `exec`, without a shell in between.
replaceManifest(process.ppid)
