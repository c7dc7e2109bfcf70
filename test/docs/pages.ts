/** The pages whose snippets run, and the few that something else runs. */
import { globSync } from 'node:fs'
import { BadBlock, type Block, readBlocks } from './blocks.ts'

/** Pages for people who use Sluice; those of test fixtures are for developers. */
export const pages: readonly string[] = globSync(['*.md', 'docs/**/*.md', 'clients/**/*.md', 'deploy/**/*.md'], {
  exclude: ['**/node_modules/**', 'docs/site/**', 'CHANGELOG.md'],
})
  .map(path => path.replaceAll('\\', '/'))
  .sort()

/** Pages that a test of its own runs, with data and programs that they need. */
export const runElsewhere: Readonly<Record<string, string>> = {
  'docs/how-to/tables.md': 'test/interop/tables/tables.test.ts',
  'docs/object-stores.md': 'test/interop/s3/page.test.ts',
  'docs/readers/duckdb.md': 'test/interop/readers/parquet.test.ts',
  'docs/readers/pyarrow.md': 'test/interop/readers/parquet.test.ts',
  'docs/readers/spark.md': 'test/interop/readers/parquet.test.ts',
  'docs/readers/hadoop.md': 'test/interop/readers/hadoop.test.ts',
}

/** Pages whose blocks do not say yet what they are. */
export const notYet: readonly string[] = []

/** The blocks of all pages that are run here; none of a page whose blocks are at fault, which another test reports. */
export const convertedBlocks = (): readonly (readonly Block[])[] =>
  pages
    .filter(page => !notYet.includes(page) && !(page in runElsewhere))
    .flatMap(page => {
      try {
        return [readBlocks(page)]
      } catch (error) {
        if (error instanceof BadBlock) return []
        throw error
      }
    })

/** Whether something typed there is for an HDFS, which all pages call `namenode`. */
export const needsHdfs = (blocks: readonly Block[]): boolean =>
  blocks.some(
    ({ code, words, language }) =>
      /\bnamenode:(?:8020|9870)/.test(code) &&
      !words.has('not-run') &&
      (['sh', 'console'].includes(language) || words.has('file')),
  )
