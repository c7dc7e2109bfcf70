import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand } from '../../command/command.ts'
import { CliError, usageError } from '../../command/failure.ts'
import { createPathFailures, forEachPath } from '../../files/each-path.ts'
import { toOnePath } from '../../files/remote-path.ts'
import { isDirectory, isLocalDirectory, uploadFrom } from '../../files/transfer.ts'
import { type Amount, createTransferProgress, withoutLine } from '../../files/transfer-progress.ts'
import { measureLocal, putTree } from '../../files/tree.ts'
import { toTreeText, treeFlags } from '../../files/tree-flags.ts'
import { withProgress } from '../../print/progress.ts'
import { marks } from '../../print/style.ts'
import { toSafeText } from '../../print/text-width.ts'
import { toBytes } from '../../print/units.ts'

export const commands = {
  'fs:put': gatewayCommand({
    summary: 'Upload files, or with -R directories.',
    description:
      'A file appears under its name when it is complete. If the target is a directory, or ends in /, the file keeps its name; - is standard input. With -R the target is a directory, created if it is missing; files are uploaded several at a time, and a failure does not stop the others. Symlinks in a directory are not followed, but listed.',
    examples: [
      'sluice fs put words.txt /data/',
      'sluice fs put words.txt /data/words.txt --overwrite --permission 640',
      'zcat log.gz | sluice fs put - /data/log.txt',
      'sluice fs put -R logs /archive',
      'sluice fs put -R logs /archive --skip-existing',
    ],
    args: {
      source: Args.string({ required: true, multiple: true, description: 'files or directories here, or -' }),
      path: Args.string({ required: true, description: 'where it goes' }),
    },
    flags: {
      ...treeFlags,
      permission: Flags.string({ summary: 'octal digits or clauses such as u=rw,go=r', helpValue: 'MODE' }),
      replication: Flags.integer({ summary: 'copies of each block', min: 1, max: 512 }),
      blocksize: Flags.integer({ summary: 'bytes of a block', min: 1 }),
    },
    run: async input => {
      const { words, log } = input
      const { blocksize: blockSize, threads, overwrite, permission, replication, ...flags } = input.flags
      const [sources, path = ''] = [words.slice(0, -1), words.at(-1)]
      const gateway = await input.gateway()
      const options = { overwrite, permission, replication, blockSize }
      const [only = ''] = sources
      if (sources.length === 1 && !flags.recursive) {
        if (await isLocalDirectory(only)) throw directoryError(only)
        const result = await withProgress({ label: 'Uploading' }, update =>
          uploadFrom(gateway, only, path, { ...options, onProgress: (done, total) => update(done, total, only) }),
        )
        log(`${marks.ok()} ${toSafeText(result.path)}  ${toBytes(result.size)}`)
        return result
      }
      if (sources.includes('-')) throw usageError('Standard input cannot be combined with other files or -R')
      const target = toOnePath(path)
      if (!flags.recursive && !(await isDirectory(gateway, target)))
        throw new CliError(`${target} is not a directory`, {
          code: 'not-directory',
          hint: 'Create it with `sluice fs mkdir`.',
        })
      const progress = createTransferProgress('Uploading', () => measure(sources))
      const failed = createPathFailures({ ...input, logToStderr: withoutLine(progress, input.logToStderr) })
      const copied: unknown[] = []
      const tree = { ...options, threads, skipExisting: flags['skip-existing'], failed, progress }
      try {
        await forEachPath(sources, failed, async source => {
          if (!flags.recursive && (await isLocalDirectory(source))) throw directoryError(source)
          const amount = await putTree(gateway, source, target, tree)
          progress.clear()
          log(`${marks.ok()} ${toSafeText(source)}  ${toTreeText(amount)}`)
          copied.push({ source, ...amount })
        })
      } finally {
        progress.clear()
      }
      failed.end()
      return { target, copied, errors: failed.failures }
    },
  }),
}

const measure = async (sources: readonly string[]): Promise<Amount> => {
  const amounts = await Promise.all(sources.map(measureLocal))
  return {
    files: amounts.reduce((sum, { files }) => sum + files, 0),
    bytes: amounts.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

const directoryError = (path: string): Error =>
  new CliError(`${path} is a directory`, { code: 'is-directory', hint: 'Add -R to upload the whole directory.' })
