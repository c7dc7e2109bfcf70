/** All that a release consists of, made from the clone as it is. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { findProgram } from '../find-program.ts'
import { buildClientPackages } from './client-packages.ts'
import { makeDeb } from './deb.ts'
import { buildPackage } from './package.ts'
import { makeSbom } from './sbom.ts'
import { settle } from './settle.ts'
import { type Architecture, stageProduct } from './stage.ts'
import { makeTarball } from './tarball.ts'

export type ArtefactOptions = {
  /** Where they go; it must not be there, or be empty. */
  readonly directory: string
  readonly architectures: readonly Architecture[]
  /** The time of every file, as seconds since the epoch. */
  readonly date: number
  /** Packs what brings its Node in seconds instead of minutes; the files are a third larger, and not those of a release. */
  readonly isHasty: boolean
  /** Called before each step. */
  readonly onStep: (text: string) => void
}

const { version } = packageJson

/** Where things are made before they are packed. */
type Work = ArtefactOptions & { readonly work: string }

/** Makes them one after another, and last the sums of all. @throws Error a tool is missing or fails */
export const makeArtefacts = async (options: ArtefactOptions): Promise<void> => {
  const directory = resolve(options.directory)
  if (existsSync(directory) && readdirSync(directory).length > 0) throw new Error(`${directory} is not empty`)
  mkdirSync(directory, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'sluice-release-'))
  try {
    const all = { ...options, directory, work }
    await makePackages(all)
    await makeProducts(all)
    makeBill(all)
    writeSums(directory)
  } catch (error) {
    rmSync(directory, { recursive: true })
    throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The packages for npm. */
const makePackages = async ({ directory, date, work, onStep }: Work): Promise<void> => {
  onStep('packages for npm')
  const server = join(work, 'sluice')
  await buildPackage(server)
  const clients = join(work, 'clients')
  const names = await buildClientPackages(join(server, 'dist'), clients)
  for (const folder of [server, ...names.map(name => join(clients, name))]) {
    settle(folder, [], date)
    const args = ['pack', folder, '--pack-destination', directory, '--loglevel=error']
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 2] })
  }
}

/** What brings its Node: to be unpacked anywhere, and for Debian where its tools are. */
const makeProducts = async ({ directory, architectures, date, isHasty, work, onStep }: Work): Promise<void> => {
  const hasDebianTools = (await findProgram('dpkg-deb')) !== undefined
  if (!hasDebianTools) onStep('no packages of Debian: there is no dpkg-deb here')
  for (const architecture of architectures) {
    const name = `sluice-${version}-linux-${architecture}`
    onStep(`${name}.tar.gz`)
    const product = join(work, name)
    await stageProduct({ directory: product, architecture, date })
    makeTarball({ parent: work, folder: name, directory, level: isHasty ? 1 : 9 })
    if (hasDebianTools) {
      onStep(`package of Debian for ${architecture}`)
      makeDeb({ product, architecture, version, date, directory, compression: isHasty ? 'gzip' : 'xz' })
    }
    rmSync(product, { recursive: true })
  }
}

const makeBill = ({ directory, date, onStep }: Work): void => {
  onStep('bill of materials')
  writeFileSync(join(directory, `sluice-${version}.cdx.json`), makeSbom(date))
}

/** As `sha256sum --check` reads them. */
const writeSums = (directory: string): void => {
  const sums = readdirSync(directory)
    .sort()
    .map(
      name =>
        `${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(directory, 'SHA256SUMS'), sums.join(''))
}
