import * as Flags from '@oclif/core/flags'
import { overwriteFlag } from '../command/command.ts'
import { plural, toBytes } from '../print/units.ts'
import type { TreeCopied } from './tree.ts'

/** The common flags of `fs get` and `fs put`. */
export const treeFlags = {
  recursive: Flags.boolean<boolean>({ char: 'R', summary: 'directories with everything below', default: false }),
  overwrite: overwriteFlag,
  'skip-existing': Flags.boolean<boolean>({
    summary: 'skip files that exist with the same size: resumes an interrupted -R',
    default: false,
  }),
  threads: Flags.integer({ char: 't', summary: 'files at a time, with -R', min: 1, max: 64, default: 8 }),
}

/** Words for what was copied. */
export const toTreeText = ({ files, bytes, skipped }: TreeCopied): string =>
  `${plural(files, 'file')}  ${toBytes(bytes)}${skipped > 0 ? `  (${plural(skipped, 'file')} there already)` : ''}`
