/** `npm run artefacts`: what a release of this commit consists of; `release/artefacts.ts` makes it. */
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { makeArtefacts } from './release/artefacts.ts'
import { sourceDate } from './release/source-date.ts'
import { type Architecture, architectures } from './release/stage.ts'

const usage = `Usage: npm run artefacts -- [--directory DIRECTORY] [--arch ${architectures.join('|')}]... [--hasty]

Makes the packages for npm, the tarballs with their Node, the packages of Debian (where dpkg-deb is), the bill of materials and
the sums of all in DIRECTORY, which is release/${packageJson.version} unless told. The same commit gives the same bytes: so a release can be
checked. With --hasty it takes a minute instead of some, and the files are larger: to try them, not to publish them.

Example: npm run artefacts -- --arch x64`

const isArchitecture = (name: string): name is Architecture => architectures.some(one => one === name)

const main = async () => {
  const { values } = parseArgs({
    options: {
      directory: { type: 'string' },
      arch: { type: 'string', multiple: true },
      hasty: { type: 'boolean', default: false },
    },
  })
  const { directory = `release/${packageJson.version}`, arch: wanted = architectures, hasty: isHasty } = values
  const unknown = wanted.find(name => !isArchitecture(name))
  if (unknown !== undefined) throw new Error(`There is no Node for ${unknown}`)
  const onStep = (text: string) => console.error(`· ${text}`)
  await makeArtefacts({ directory, architectures: wanted.filter(isArchitecture), date: sourceDate(), isHasty, onStep })
  console.log(directory)
}

await main().catch((error: unknown) => {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exitCode = 1
})
