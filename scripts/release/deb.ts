/**
 * The package of Debian, made of the installed product (`stage.ts`) and of what is in `deploy/debian`:
 *
 *     /usr/bin/sluice /usr/lib/sluice/     the product with its Node
 *     /etc/sluice/sluice.yaml              its settings, which stay as they were changed
 *     /lib/systemd/system/sluice.service   what runs it
 *     /usr/share/doc/sluice/ …/man/…       papers, a page of the manual
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { toManual } from './manual.ts'
import type { Architecture } from './stage.ts'

export type DebOptions = {
  /** The product as `stageProduct` makes it; it is left as it is. */
  readonly product: string
  readonly architecture: Architecture
  /** As in package.json. */
  readonly version: string
  /** The time of every file, as seconds since the epoch. */
  readonly date: number
  /** Where the package goes. */
  readonly directory: string
  /** How hard it is packed. @default xz, which takes a minute */
  readonly compression?: 'xz' | 'gzip'
}

/** As Debian names them. */
const architectures: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }

/** The contact address of the package; `DEBFULLNAME` and `DEBEMAIL` set another one, as for Debian's own tools. */
const maintainer = () =>
  `${process.env['DEBFULLNAME'] ?? 'The Sluice authors'} <${process.env['DEBEMAIL'] ?? 'sluice@example.org'}>`

const scripts = ['postinst', 'prerm', 'postrm'] as const
const source = 'deploy/debian'

/** Makes it, and gives its path. @throws Error without `dpkg-deb` */
export const makeDeb = ({ compression = 'xz', ...options }: DebOptions): string => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-deb-'))
  const name = `sluice_${toDebianVersion(options.version)}_${architectures[options.architecture]}.deb`
  const path = join(options.directory, name)
  try {
    writeFiles(root, options)
    writeControl(root, options)
    const packing = ['--root-owner-group', `-Z${compression}`, ...(compression === 'gzip' ? ['-z1'] : [])]
    // All times are those of the variable: dpkg-deb makes what is newer as old as that.
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(options.date) }
    execFileSync('dpkg-deb', [...packing, '--build', root, path], { env, stdio: ['ignore', 'ignore', 2] })
    return path
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A pre-release sorts before its release: `1.0.0-rc.1` is `1.0.0~rc.1`. */
export const toDebianVersion = (version: string): string => version.replace('-', '~')

/** Commands use the settings of the service, unless others are given. */
const ownSettings =
  '[ -n "$SLUICE_CONFIG" ] || [ ! -r /etc/sluice/sluice.yaml ] || export SLUICE_CONFIG=/etc/sluice/sluice.yaml'

const writeFiles = (root: string, { product, version, date }: DebOptions): void => {
  const write = (path: string, bytes: string | Buffer): void => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), path.endsWith('.gz') ? gzipSync(bytes, { level: 9 }) : bytes)
    chmodSync(join(root, path), 0o644)
  }
  for (const part of ['bin', 'lib']) cpSync(join(product, part), join(root, 'usr', part), { recursive: true })
  const command = join(root, 'usr/bin/sluice')
  writeFileSync(command, readFileSync(command, 'utf8').replace('#!/bin/sh\n', `#!/bin/sh\n${ownSettings}\n`))
  for (const paper of ['README.md', 'CHANGELOG.md', 'LICENSE.node'])
    write(`usr/share/doc/sluice/${paper}.gz`, readFileSync(join(product, paper)))
  write('usr/share/doc/sluice/changelog.gz', toChangelog(version, date))
  write('usr/share/doc/sluice/copyright', readFileSync(join(source, 'copyright')))
  write('usr/share/lintian/overrides/sluice', readFileSync(join(source, 'lintian-overrides')))
  // By this Node: the product's may be for another processor.
  const help = execFileSync(process.execPath, [join(product, 'lib/sluice/bin/sluice.js'), '--help'], {
    encoding: 'utf8',
    env: { NO_COLOR: '1', SHELL: 'sh', NODE_DISABLE_COMPILE_CACHE: '1' },
  })
  write('usr/share/man/man1/sluice.1.gz', toManual(help, version, date))
  write('lib/systemd/system/sluice.service', readFileSync(join(source, 'sluice.service')))
  write('etc/sluice/sluice.yaml', readFileSync(join(source, 'sluice.yaml')))
  for (const directory of ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })]) {
    if (statSync(join(root, directory)).isDirectory()) chmodSync(join(root, directory), 0o755)
  }
}

const writeControl = (root: string, { architecture, version }: DebOptions): void => {
  const kilobytes = toInstalledSize(root)
  mkdirSync(join(root, 'DEBIAN'))
  chmodSync(join(root, 'DEBIAN'), 0o755)
  for (const script of scripts) {
    cpSync(join(source, script), join(root, 'DEBIAN', script))
    chmodSync(join(root, 'DEBIAN', script), 0o755)
  }
  cpSync(join(source, 'conffiles'), join(root, 'DEBIAN/conffiles'))
  chmodSync(join(root, 'DEBIAN/conffiles'), 0o644)
  const fields = {
    Package: 'sluice',
    Version: toDebianVersion(version),
    Architecture: architectures[architecture],
    Maintainer: maintainer(),
    'Installed-Size': kilobytes,
    // What its Node is linked to, of the oldest versions that it runs with.
    Depends: 'adduser, libc6 (>= 2.28), libgcc-s1 (>= 8), libstdc++6 (>= 8)',
    Section: 'net',
    Priority: 'optional',
    Description: description,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`)
  writeFileSync(join(root, 'DEBIAN/control'), lines.join(''))
}

/** In KiB, as dpkg-gencontrol counts: whatever the file system here takes for them. */
const toInstalledSize = (root: string): number =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map(path => lstatSync(join(root, path)))
    .reduce((all, found) => all + (found.isFile() ? Math.ceil(found.size / 1024) : 1), 1)

const description = `event collector and file gateway around HDFS
 Sluice takes events over HTTP and Scribe, keeps each on disk before it
 acknowledges it, and writes them as files to HDFS or a local directory, once.
 Its gateway shows and serves these files, its management listener has a
 console, metrics and operations.
 .
 This package brings its own Node.js.`

/** The form that Debian's tools read; what users notice is in CHANGELOG.md. */
const toChangelog = (version: string, date: number): string => {
  const day = new Date(date * 1000).toUTCString().replace('GMT', '+0000')
  return `sluice (${toDebianVersion(version)}) stable; urgency=medium

  * See /usr/share/doc/sluice/CHANGELOG.md.gz.

 -- ${maintainer()}  ${day}
`
}
