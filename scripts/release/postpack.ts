/** Runs after `npm pack` has packed. */
import { restoreManifest } from './restore-manifest.ts'

restoreManifest()
