/** A release: version, CHANGELOG, commit, artefacts, tag. Nothing leaves the machine. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import packageJson from '../../package.json' with { type: 'json' }
import { releaseChangelog } from './changelog.ts'
import { setVersion } from './set-version.ts'
import { nextVersion } from './version.ts'

export type ReleaseOptions = {
  /** A version, or which part of it goes up: `patch`, `minor`, `major`. */
  readonly wanted: string
  /** Only checks and says what would be done. */
  readonly isDryRun: boolean
  /** Additional arguments for `artefacts.ts`. */
  readonly artefactArgs: readonly string[]
  readonly onStep: (text: string) => void
}

const branch = 'main'

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()

/**
 * Releases what is committed, and gives the version. What goes wrong after its commit takes that commit back.
 * @throws Error the clone is not ready, or an artefact cannot be made
 */
export const release = ({ wanted, isDryRun, artefactArgs, onStep }: ReleaseOptions): string => {
  const version = nextVersion(packageJson.version, wanted)
  checkClone(version)
  const changelog = releaseChangelog(
    readFileSync('CHANGELOG.md', 'utf8'),
    version,
    new Date().toISOString().slice(0, 10),
  )
  if (isDryRun) return version

  const before = git('rev-parse', 'HEAD')
  try {
    onStep(`version ${version}`)
    setVersion(packageJson.version, version)
    writeFileSync('CHANGELOG.md', changelog)
    // The contracts are kept in other forms too, and these have the version.
    execFileSync('npm', ['run', '--silent', 'generate'], { stdio: ['ignore', 2, 2] })
    git('commit', '--all', '--quiet', '--message', `chore(release): ${version}`)
    // A process of its own: what is loaded in this one has the version before.
    execFileSync(process.execPath, ['scripts/artefacts.ts', ...artefactArgs], { stdio: ['ignore', 2, 2] })
    git('tag', '--annotate', `v${version}`, '--message', `Sluice ${version}`)
  } catch (error) {
    // The tree was clean, so no work is lost.
    git('reset', '--quiet', '--hard', before)
    throw error
  }
  return version
}

/** @throws Error with what to do before a release */
const checkClone = (version: string): void => {
  const here = git('branch', '--show-current')
  if (here !== branch) throw new Error(`Releases are made on ${branch}; this is ${here || 'no branch'}`)
  const changes = git('status', '--porcelain')
  if (changes !== '') throw new Error(`There are changes that are not committed:\n${changes}`)
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`The tag v${version} is there already`)
}
