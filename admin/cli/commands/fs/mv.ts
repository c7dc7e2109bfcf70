import * as Args from '@oclif/core/args'
import { baseName } from '../../../../src/filesystem/path.ts'
import { gatewayCommand, overwriteFlag } from '../../command/command.ts'
import { CliError, usageError } from '../../command/failure.ts'
import { createPathFailures, forEachPath } from '../../files/each-path.ts'
import { childOf, toOnePath } from '../../files/remote-path.ts'
import { findRemote, renameRemote } from '../../files/webhdfs.ts'
import { marks } from '../../print/style.ts'
import { toSafeText } from '../../print/text-width.ts'

export const commands = {
  'fs:mv': gatewayCommand({
    summary: 'Move or rename files and directories.',
    description:
      'Into a directory that is there, or to a new name. Nothing is replaced unless told, and nothing moves to another cluster.',
    examples: ['sluice fs mv /data/words.txt /data/old.txt', 'sluice fs mv /data/a /data/b /archive/'],
    args: {
      source: Args.string({ required: true, multiple: true, description: 'what moves' }),
      target: Args.string({ required: true, description: 'a directory, or with one source a new name' }),
    },
    flags: { overwrite: overwriteFlag },
    run: async input => {
      const { words, flags, log } = input
      const [sources, last = ''] = [words.slice(0, -1), words.at(-1)]
      const target = toOnePath(last)
      const gateway = await input.gateway()
      const isInto = (await findRemote(gateway, target))?.isDir ?? false
      if (!isInto && (sources.length > 1 || last.endsWith('/')))
        throw new CliError(`${target} is not a directory`, {
          code: 'not-directory',
          hint: 'Create it with `sluice fs mkdir`.',
        })
      const failed = createPathFailures(input)
      const moved: { readonly from: string; readonly to: string }[] = []
      await forEachPath(sources, failed, async source => {
        const from = toOnePath(source)
        if (from === '/') throw usageError('The root directory cannot be moved')
        const to = isInto ? childOf(target, baseName(from)) : target
        await renameRemote(gateway, from, to, flags.overwrite)
        moved.push({ from, to })
        log(`${marks.ok()} ${toSafeText(from)} → ${toSafeText(to)}`)
      })
      failed.end()
      return { moved, errors: failed.failures }
    },
  }),
}
