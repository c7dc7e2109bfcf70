// Makes `dist/`, which runs without type stripping: the sources as JavaScript, and beside them what they read.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildBeacon } from './generate/beacon.ts'

/** Files that the server and the command line read at run time, and that the compiler leaves alone. */
const assets = ['{src,admin}/**/static/*.{js,css,svg,html}']

rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
for (const file of assets.flatMap(pattern => globSync(pattern))) {
  mkdirSync(dirname(join('dist', file)), { recursive: true })
  cpSync(file, join('dist', file))
}
writeFileSync('dist/clients/beacon.min.js', await buildBeacon())
