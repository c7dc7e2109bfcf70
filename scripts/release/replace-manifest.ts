/**
 * npm packs the manifest of the clone, which is not the one to install. So the other takes its place while npm packs,
 * and is removed when npm ends, in whatever way.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, renameSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { publishedManifest } from './manifest.ts'
import { keptManifest } from './restore-manifest.ts'

const manifest = 'package.json'
const next = '.package.json.next.tmp'

/** Puts the published manifest in its place, until `npm` (a process) has ended at the latest. */
export const replaceManifest = (npm: number): void => {
  const guard = fileURLToPath(new URL('manifest-guard.ts', import.meta.url))
  spawn(process.execPath, [guard, String(npm)], { detached: true, stdio: 'ignore' }).unref()
  copyFileSync(manifest, keptManifest)
  writeFileSync(next, `${JSON.stringify(publishedManifest, null, 2)}\n`)
  renameSync(next, manifest)
}
