/** `dist/`: the sources as JavaScript, which runs without type stripping, and beside them what they read. */
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { buildBeacon } from '../generate/beacon.ts'

/** Files that the server and the command line read at run time, and that the compiler leaves alone. */
const assets = ['{src,admin}/**/static/**/*.{js,css,svg,html}']

/** Rebuilds it, in `directory`, from the sources in the working directory. */
export const buildDist = async (directory: string): Promise<void> => {
  rmSync(directory, { recursive: true, force: true })
  const { status, error } = spawnSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', directory], { stdio: 'inherit' })
  if (status !== 0) throw new Error(`The sources do not compile${error ? `: ${error.message}` : ''}`)
  for (const file of assets.flatMap(pattern => globSync(pattern))) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    cpSync(file, join(directory, file))
  }
  // The compiler copies the whole manifest, since the sources read the version from it.
  const { name, version, type } = packageJson
  writeFileSync(join(directory, 'package.json'), `${JSON.stringify({ name, version, type })}\n`)
  writeFileSync(join(directory, 'clients/beacon.min.js'), await buildBeacon())
}
