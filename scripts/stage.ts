/** `npm run stage -- DIRECTORY [--arch x64|arm64]`: the installed product as a directory; `release/stage.ts` says what is in it. */
import { parseArgs } from 'node:util'
import { sourceDate } from './release/source-date.ts'
import { architectures, stageProduct } from './release/stage.ts'

const usage = `Usage: npm run stage -- DIRECTORY [--arch ${architectures.join('|')}]

Makes the installed product in DIRECTORY, with its Node, for Linux on the architecture of this machine or another.
SOURCE_DATE_EPOCH, or else the commit, says which time stands on its files.

Example: npm run stage -- /tmp/sluice --arch arm64`

const main = async () => {
  const { values, positionals } = parseArgs({ options: { arch: { type: 'string' } }, allowPositionals: true })
  const wanted = values.arch ?? process.arch
  const architecture = architectures.find(one => one === wanted)
  const [directory, ...more] = positionals
  if (directory === undefined || more.length > 0) throw new Error('One directory is expected')
  if (architecture === undefined) throw new Error(`There is no Node for ${wanted}`)
  await stageProduct({ directory, architecture, date: sourceDate() })
}

await main().catch((error: unknown) => {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  process.exitCode = 2
})
