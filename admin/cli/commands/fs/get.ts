import * as Args from '@oclif/core/args'
import { gatewayCommand } from '../../command/command.ts'
import { CliError, usageError } from '../../command/failure.ts'
import { forEachMatch } from '../../files/each-match.ts'
import { createPathFailures } from '../../files/each-path.ts'
import type { GatewayCalls } from '../../files/gateway.ts'
import { isGlob } from '../../files/glob.ts'
import { downloadTo, isLocalDirectory } from '../../files/transfer.ts'
import { type Amount, createTransferProgress, withoutLine } from '../../files/transfer-progress.ts'
import { getTree } from '../../files/tree.ts'
import { toTreeText, treeFlags } from '../../files/tree-flags.ts'
import { findRemote, getContentSummary, getFileStatus } from '../../files/webhdfs.ts'
import { withProgress } from '../../print/progress.ts'
import { marks } from '../../print/style.ts'
import { toSafeText } from '../../print/text-width.ts'
import { toBytes } from '../../print/units.ts'

export const commands = {
  'fs:get': gatewayCommand({
    summary: 'Download files, or with -R directories.',
    description:
      'A file appears under its name when it is complete; calling it again resumes an interrupted download. A directory is downloaded into the target under its own name; missing directories are created. Files are downloaded several at a time, and a failure does not stop the others.',
    examples: [
      'sluice fs get /data/words.txt',
      'sluice fs get /data/words.txt /tmp/ --overwrite',
      'sluice fs get -R /events/PageView .',
      "sluice fs get '/data/2026-*.csv' /tmp/",
      'sluice fs get -R /events /backup --skip-existing --overwrite',
    ],
    args: {
      path: Args.string({
        required: true,
        multiple: true,
        description: 'files or directories, and behind them the target here [default: .]',
      }),
    },
    flags: treeFlags,
    run: async input => {
      const { words, flags, log } = input
      const [paths, target] = words.length > 1 ? [words.slice(0, -1), words.at(-1) ?? '.'] : [words, '.']
      const gateway = await input.gateway()
      const [only = ''] = paths
      if (paths.length === 1 && !flags.recursive && !(isGlob(only) && !(await findRemote(gateway, only)))) {
        if ((await getFileStatus(gateway, only)).isDir) throw directoryError(only)
        return getOne(gateway, only, target, flags.overwrite, log)
      }
      if (!flags.recursive && !(await isLocalDirectory(target))) throw usageError(`There is no directory ${target}`)
      const progress = createTransferProgress('Downloading', () => measure(gateway, paths))
      const failed = createPathFailures({ ...input, logToStderr: withoutLine(progress, input.logToStderr) })
      const copied: unknown[] = []
      const { overwrite, 'skip-existing': skipExisting, threads } = flags
      try {
        await forEachMatch(gateway, paths, failed, async word => {
          const source = await getFileStatus(gateway, word)
          if (source.isDir && !flags.recursive) throw directoryError(source.path)
          const amount = await getTree(gateway, source, target, { overwrite, skipExisting, threads, failed, progress })
          progress.clear()
          log(`${marks.ok()} ${toSafeText(source.path)}  ${toTreeText(amount)}`)
          copied.push({ path: source.path, ...amount })
        })
      } finally {
        progress.clear()
      }
      failed.end()
      return { target, copied, errors: failed.failures }
    },
  }),
}

const getOne = async (
  gateway: GatewayCalls,
  path: string,
  target: string,
  overwrite: boolean,
  log: (text: string) => void,
): Promise<unknown> => {
  const { file, size } = await withProgress({ label: 'Downloading' }, update =>
    downloadTo(gateway, path, target, { overwrite, onProgress: (done, total) => update(done, total, path) }),
  )
  log(`${marks.ok()} ${toSafeText(file)}  ${toBytes(size)}`)
  return { path, file, size }
}

const measure = async (gateway: GatewayCalls, paths: readonly string[]): Promise<Amount> => {
  const summaries = await Promise.all(paths.map(path => getContentSummary(gateway, path)))
  return {
    files: summaries.reduce((sum, { fileCount }) => sum + fileCount, 0),
    bytes: summaries.reduce((sum, { length }) => sum + length, 0),
  }
}

const directoryError = (path: string): Error =>
  new CliError(`${path} is a directory`, { code: 'is-directory', hint: 'Add -R to download the whole directory.' })
