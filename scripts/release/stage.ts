/**
 * The installed product as a directory, which tarball, Debian package and image put where they want it:
 *
 *     bin/sluice                the command: a script for sh that runs what is in `../lib/sluice`, also through a link
 *     lib/sluice/bin/node       its Node, as its makers built it
 *     lib/sluice/bin/sluice.js  what the command runs
 *     lib/sluice/dist/          the server and the command line
 *     lib/sluice/node_modules/  what they depend on, of the versions in package-lock.json
 *     lib/sluice/package.json   the manifest, which has the version
 *     README.md LICENSE CHANGELOG.md LICENSE.node
 *
 * `bin` and `lib` may be moved together, to `/usr` for instance. Nothing else of the machine is used, neither a Node
 * nor npm. Only compiled code is written there at run time, in `lib/sluice/node_modules/.cache`, if the caller has
 * permission. The same commit gives the same bytes, modes and times; the owner is the caller. The package `kerberos`,
 * which is built where it runs, is left out.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launcher } from './launcher.ts'
import { buildPackage, papers } from './package.ts'
import { settle } from './settle.ts'

/** Processors for which there is a Node, as Node names them. */
export const architectures = ['x64', 'arm64'] as const
export type Architecture = (typeof architectures)[number]

export type StageOptions = {
  /** Made by this; it must not be there, or be empty. */
  readonly directory: string
  readonly architecture: Architecture
  /** The time of every file, as seconds since the epoch. */
  readonly date: number
}

/**
 * Makes it from the sources in the working directory, which is the clone. npm fetches the dependencies and the Node, and holds
 * them against package-lock.json.
 * @throws Error when something is in `directory`, the sources do not compile, or npm fails
 */
export const stageProduct = async ({ directory, architecture, date }: StageOptions): Promise<void> => {
  if (existsSync(directory) && readdirSync(directory).length > 0) throw new Error(`${directory} is not empty`)
  const lib = join(directory, 'lib/sluice')
  await buildPackage(lib)
  for (const paper of papers) renameSync(join(lib, paper), join(directory, paper))
  installDependencies(directory, architecture)
  mkdirSync(join(directory, 'bin'))
  writeFileSync(join(directory, 'bin/sluice'), launcher)
  settle(directory, ['bin/sluice', 'lib/sluice/bin/node'], date)
}

/** As npm installs them on such a machine, without the scripts that packages would like to run. */
const installDependencies = (directory: string, architecture: Architecture): void => {
  const lib = join(directory, 'lib/sluice')
  const copy = mkdtempSync(join(tmpdir(), 'sluice-stage-'))
  try {
    for (const name of ['package.json', 'package-lock.json', '.npmrc']) cpSync(name, join(copy, name))
    const platform = ['--os=linux', `--cpu=${architecture}`, '--libc=glibc']
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    const args = ['ci', '--omit=dev', '--omit=peer', '--ignore-scripts', ...platform, ...quiet]
    execFileSync('npm', args, { cwd: copy, stdio: ['ignore', 2, 2] })
    const modules = join(copy, 'node_modules')
    const node = join(modules, `node-linux-${architecture}`)
    cpSync(join(node, 'bin/node'), join(lib, 'bin/node'))
    cpSync(join(node, 'LICENSE'), join(directory, 'LICENSE.node'))
    // Of npm: commands of packages, a list of what it did, and the rest of Node.
    for (const name of ['.bin', '.package-lock.json', `node-linux-${architecture}`])
      rmSync(join(modules, name), { recursive: true })
    cpSync(modules, join(lib, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
