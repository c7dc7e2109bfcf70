import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { parentPath } from '../../../../src/filesystem/path.ts'
import { gatewayCommand } from '../../lib/command.ts'
import { createPathFailures, forEachPath } from '../../lib/each-path.ts'
import { CliError } from '../../lib/failure.ts'
import { toOnePath } from '../../lib/remote-path.ts'
import { marks } from '../../lib/style.ts'
import { toSafeText } from '../../lib/text-width.ts'
import { findStatus, makeDirectory } from '../../lib/webhdfs.ts'

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
        const there = await findStatus(gateway, path)
        if (there !== undefined && !(flags.parents && there.isDir))
          throw new CliError(`${path} exists`, { code: 'exists' })
        if (!flags.parents && (await findStatus(gateway, parentPath(path))) === undefined)
          throw new CliError(`${parentPath(path)} does not exist`, {
            code: 'not-found',
            hint: 'Add -p to make the directories above as well.',
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
