/** `npm run release -- VERSION`: `release/release.ts` says what it does. */
import { parseArgs } from 'node:util'
import { release } from './release/release.ts'

const usage = `Usage: npm run release -- VERSION|patch|minor|major [--dry-run] [--directory DIRECTORY] [--arch x64|arm64]... [--hasty]

Releases what is committed on main: writes the version wherever it stands, puts what CHANGELOG.md tells as unreleased under
it, commits, makes all artefacts in DIRECTORY (release/VERSION unless told), and tags the commit. Nothing is sent anywhere.
Tests are not run: release a commit that has passed them. With --hasty the files are packed less well, to try a release.

Examples:
  npm run release -- minor --dry-run
  npm run release -- 1.0.0`

const main = () => {
  const { values, positionals } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      directory: { type: 'string' },
      arch: { type: 'string', multiple: true },
      hasty: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const [wanted, ...more] = positionals
  if (wanted === undefined || more.length > 0) throw new Error('One version is expected')
  const { directory, arch = [], hasty } = values
  const artefactArgs = [
    ...(directory === undefined ? [] : ['--directory', directory]),
    ...arch.flatMap(name => ['--arch', name]),
    ...(hasty ? ['--hasty'] : []),
  ]
  const isDryRun = values['dry-run']
  const onStep = (text: string) => console.error(`· ${text}`)
  const version = release({ wanted, isDryRun, artefactArgs, onStep })
  if (isDryRun) console.log(`This would release ${version}.`)
  else console.log(`Released ${version}. To publish it: git push --follow-tags, and what is in the folder above.`)
}

try {
  main()
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exitCode = 1
}
