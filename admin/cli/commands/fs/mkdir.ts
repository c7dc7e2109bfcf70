import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { parentPath } from '../../../../src/filesystem/path.ts'
import { gatewayCommand } from '../../command/command.ts'
import { CliError } from '../../command/failure.ts'
import { createPathFailures, forEachPath } from '../../files/each-path.ts'
import { toOnePath } from '../../files/remote-path.ts'
import { findRemote, makeDirectory } from '../../files/webhdfs.ts'
import { marks } from '../../print/style.ts'
import { toSafeText } from '../../print/text-width.ts'

export const commands = {
  'fs:mkdir': gatewayCommand({
    summary: 'Make directories.',
    examples: ['sluice fs mkdir /data/new', 'sluice fs mkdir -p /data/2026/11/23'],
    args: { path: Args.string({ required: true, multiple: true, description: 'directories' }) },
    flags: {
      parents: Flags.boolean<boolean>({
        char: 'p',
        summary: 'with the directories above; one that is there is fine',
        default: false,
      }),
    },
    run: async input => {
      const { words, flags, log } = input
      const gateway = await input.gateway()
      const failed = createPathFailures(input)
      const made: string[] = []
      await forEachPath(words, failed, async word => {
        const path = toOnePath(word)
        const there = await findRemote(gateway, path)
        if (there !== undefined && !(flags.parents && there.isDir))
          throw new CliError(`${path} exists`, { code: 'exists' })
        if (!flags.parents && (await findRemote(gateway, parentPath(path))) === undefined)
          throw new CliError(`${parentPath(path)} does not exist`, {
            code: 'not-found',
            hint: 'Add -p to create missing parent directories.',
          })
        await makeDirectory(gateway, path)
        made.push(path)
        log(`${marks.ok()} ${toSafeText(path)}`)
      })
      failed.end()
      return { paths: made, errors: failed.failures }
    },
  }),
}
