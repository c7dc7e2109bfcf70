/** Debian as small as it gets, made of its packages, for what is installed into it or built on it. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../../scripts/find-program.ts'

/** Beyond what every Debian has: what fetches by TLS, and what packages make users with. */
const packages = ['adduser', 'ca-certificates']

const run = promisify(execFile)

/** What is missing here to make and use one, as words for people. */
export const missingForDebianRoot = async (...programs: readonly string[]): Promise<string | undefined> => {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'this is no Linux on x64'
  if (process.getuid?.() !== 0) return 'only root can change roots'
  for (const program of ['mmdebstrap', 'unshare', 'setpriv', 'ip', ...programs]) {
    if ((await findProgram(program)) === undefined) return `there is no ${program}`
  }
  return undefined
}

/** Path of a tar file with its root, of the release that runs here; made at the first call, and kept in `.debian/`. */
export const debianRoot = async (): Promise<string> => {
  const release = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable'
  const home = resolve('.debian')
  const path = join(home, `${release}.tar`)
  if (existsSync(path)) return path
  await mkdir(home, { recursive: true })
  // Tests of several files may make it at once.
  const temporary = `${path}.${process.pid}.tmp`
  const sources = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].filter(existsSync).slice(0, 1)
  try {
    await run('mmdebstrap', [
      '--variant=minbase',
      '--format=tar',
      `--include=${packages.join(',')}`,
      release,
      temporary,
      ...sources,
    ])
    await rename(temporary, path)
  } finally {
    await rm(temporary, { force: true })
  }
  return path
}
