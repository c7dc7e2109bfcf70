import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { Entry } from '../../../../clients/gateway/read-rows.ts'
import { baseName } from '../../../../src/filesystem/path.ts'
import { gatewayCommand } from '../../command/command.ts'
import { CliError } from '../../command/failure.ts'
import { forEachMatch } from '../../files/each-match.ts'
import { createPathFailures } from '../../files/each-path.ts'
import { listRemoteEntries } from '../../files/files.ts'
import { parseGlob } from '../../files/glob.ts'
import { parseMoment } from '../../files/moment.ts'
import { getFileStatus } from '../../files/webhdfs.ts'
import { createOutput } from '../../print/output.ts'

export const commands = {
  'fs:find': gatewayCommand({
    listsRows: true,
    summary: 'Find files and directories below a path.',
    description:
      "Entries of a directory are listed before it. Hadoop's spelling with one dash works too: -name, -iname, -type, -print0.",
    examples: [
      "sluice fs find /events --name '*.parquet'",
      "sluice fs find /data -name '*.{csv,json}' --type f --newer 6h",
      'sluice fs find /data --newer 2026-11-01 --older 2026-11-20 --json',
      "sluice fs find /data --name '*.tmp' --print0 | xargs -0 -n 50 sluice fs rm --yes",
    ],
    args: {
      path: Args.string({
        multiple: true,
        default: ['/'],
        description: 'where to look; patterns such as /data/2026-*',
      }),
    },
    flags: {
      name: Flags.string({ summary: 'of which the name matches: * ? [a-z] {a,b}', helpValue: 'GLOB' }),
      iname: Flags.string({ summary: 'the same, upper and lower case alike', helpValue: 'GLOB' }),
      type: Flags.option({ options: ['f', 'd'] as const, summary: 'files, or directories' })(),
      newer: Flags.string({ summary: 'changed after: 6h ago, 2026-11-23, or the file /path', helpValue: 'TIME' }),
      older: Flags.string({ summary: 'changed before', helpValue: 'TIME' }),
      print0: Flags.boolean<boolean>({ summary: 'a NUL behind each path', default: false }),
      // What `hadoop fs -find` does in any case.
      print: Flags.boolean<boolean>({ summary: 'a line for each path', default: false, hidden: true }),
    },
    run: async input => {
      const { args, flags, output, rows } = input
      const gateway = await input.gateway()
      const isWanted = await toTest(flags, text => parseMoment(text, gateway, Date.now()))
      const failed = createPathFailures(input)
      const entries: Entry[] = []
      const lines = createOutput()
      await forEachMatch(gateway, args.path, failed, async path => {
        for await (const entry of listBelow(gateway, path)) {
          if (entry.error !== undefined) failed.add(entry.path, new CliError(entry.error, { code: 'unreadable' }))
          if (!isWanted(entry)) continue
          if (output === 'json') entries.push(entry)
          else if (output !== 'table') rows([entry])
          else await lines.write(flags.print0 ? `${entry.path}\0` : `${entry.path}\n`)
        }
      })
      await lines.end()
      failed.end()
      return { entries, errors: failed.failures }
    },
  }),
}

type Gateway = Parameters<typeof listRemoteEntries>[0]

/** A path with everything below it. */
async function* listBelow(gateway: Gateway, path: string): AsyncGenerator<Entry, void, undefined> {
  const status = await getFileStatus(gateway, path)
  if (status.isDir) yield* listRemoteEntries(gateway, status.path, { recursive: true })
  yield status
}

type Wanted = {
  readonly name?: string | undefined
  readonly iname?: string | undefined
  readonly type?: 'f' | 'd' | undefined
  readonly newer?: string | undefined
  readonly older?: string | undefined
}

const toTest = async (
  { name, iname, type, newer, older }: Wanted,
  toMoment: (text: string) => Promise<number>,
): Promise<(entry: Entry) => boolean> => {
  const tests: ((entry: Entry) => boolean)[] = []
  for (const [glob, ignoreCase] of [
    [name, false],
    [iname, true],
  ] as const) {
    if (glob === undefined) continue
    const isNamed = parseGlob(glob, { ignoreCase })
    tests.push(({ path }) => isNamed(baseName(path)))
  }
  if (type !== undefined) tests.push(({ isDir }) => isDir === (type === 'd'))
  if (newer !== undefined) {
    const after = await toMoment(newer)
    tests.push(({ mtime }) => mtime > after)
  }
  if (older !== undefined) {
    const before = await toMoment(older)
    tests.push(({ mtime }) => mtime < before)
  }
  return entry => tests.every(test => test(entry))
}
