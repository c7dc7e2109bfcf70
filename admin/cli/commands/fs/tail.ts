import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand } from '../../command/command.ts'
import { CliError } from '../../command/failure.ts'
import { findLastLines, followFile } from '../../files/file-tail.ts'
import { copyOut } from '../../files/transfer.ts'
import { getFileStatus, openAt } from '../../files/webhdfs.ts'
import { styleError } from '../../print/style.ts'
import { createByteOutput } from '../../print/terminal.ts'

/** Bytes that are shown by default, as in Hadoop. */
const defaultBytes = 1_024
const followMs = 1_000

export const commands = {
  'fs:tail': gatewayCommand({
    hasJson: false,
    summary: 'Write the end of a file as stored to standard output.',
    examples: ['sluice fs tail /data/app.log', 'sluice fs tail -f /data/app.log', 'sluice fs tail -n 20 /data/app.log'],
    args: { path: Args.string({ required: true, description: 'the file' }) },
    flags: {
      follow: Flags.boolean<boolean>({
        char: 'f',
        summary: 'follow: print bytes as they are appended; Ctrl-C ends',
        default: false,
      }),
      lines: Flags.integer({ char: 'n', summary: 'so many lines; without, the last 1024 bytes', min: 0 }),
    },
    run: async ({ args: { path }, flags, logToStderr, ...input }) => {
      const gateway = await input.gateway()
      const { isDir, size } = await getFileStatus(gateway, path)
      if (isDir) throw new CliError(`${path} is a directory`, { code: 'is-directory', hint: 'Give a file.' })
      const start =
        flags.lines === undefined
          ? Math.max(0, size - defaultBytes)
          : await findLastLines(gateway, path, size, flags.lines)
      if (!flags.follow) return copyOut(await openAt(gateway, path, start, size - start))
      const stop = new AbortController()
      const onInterrupt = (): void => stop.abort()
      process.once('SIGINT', onInterrupt)
      const onTruncated = (): void =>
        logToStderr(styleError('yellow', `${path} is shorter than it was: it is read from its start`))
      try {
        const options = { everyMs: followMs, signal: stop.signal, onTruncated }
        const write = createByteOutput()
        for await (const chunk of followFile(gateway, path, start, options)) await write(chunk)
      } finally {
        process.off('SIGINT', onInterrupt)
      }
    },
  }),
}
