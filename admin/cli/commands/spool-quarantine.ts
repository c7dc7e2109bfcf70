import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { QuarantineOutcome } from '../../../src/spool/quarantine/quarantine.ts'
import { type CommandInput, spoolCommand, yesFlag } from '../command/command.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount } from '../print/units.ts'
import { openDisk, withOfflineSpool } from '../spool/local-spool.ts'
import { showQuarantined } from '../spool/quarantine.ts'

const names = { name: Args.string({ required: true, multiple: true, description: 'as `list` names them' }) }

const toNames = (words: readonly string[]): readonly string[] =>
  words.map(name => name.replace(/^(_quarantine|_taken)\//, ''))

export const commands = {
  'spool:quarantine:list': spoolCommand({
    listsRows: true,
    summary: 'List the files in quarantine, with the reasons.',
    examples: ['sluice spool quarantine list', 'sluice spool quarantine list --json'],
    run: async ({ directory, log, table }) => {
      const { disk } = await openDisk(await directory())
      const { viewSpool } = await import('../../../src/spool/tool/view.ts')
      const { quarantine } = await viewSpool(disk)
      if (quarantine.length === 0) log('Nothing is in quarantine.')
      else
        table(quarantine, [
          { title: 'NAME', cell: row => row.name, flexible: true },
          { title: 'KIND', cell: row => row.kind },
          { title: 'EVENTS', cell: row => (row.events > 0 ? toCount(row.events) : '–'), align: 'right' },
          { title: 'SIZE', field: 'bytes', cell: row => toBytes(row.bytes), align: 'right' },
          { title: 'REASON', cell: row => row.reason, flexible: true },
        ])
      return { quarantine }
    },
  }),

  'spool:quarantine:release': spoolCommand({
    summary: 'Put bucket files that were set aside back into the queue.',
    description:
      'The server must be stopped; its next start commits them. A running server does the same with ' +
      '`sluice beans call Quarantine release`, and in the console. Release a file of _taken/ only when the file system does not have it. ' +
      'A file of the kind "conflict" is set aside again as long as another file has its name: --new-name sends it beside that one, under a name of its own.',
    examples: ['sluice spool quarantine release NAME', 'sluice spool quarantine release NAME NAME --new-name --json'],
    args: names,
    flags: {
      'new-name': Flags.boolean<boolean>({
        summary: 'beside the file that has its name: only when that one does not hold its events',
        default: false,
      }),
    },
    run: async ({ words, flags, directory, settings, ...rest }) => {
      const { releaseFiles } = await import('../../../src/spool/quarantine/quarantine.ts')
      const names = toNames(words)
      const outcomes = await withOfflineSpool({ directory, settings }, spool =>
        releaseFiles(spool, names, flags['new-name']),
      )
      return tell(
        outcomes,
        done => `${plural(done, 'file')} released; the next start of the server commits them.`,
        rest,
      )
    },
  }),

  'spool:quarantine:remove': spoolCommand({
    summary: 'Delete quarantined pieces permanently.',
    description: 'The server must be stopped. Bucket files are deleted with the events in them.',
    examples: ['sluice spool quarantine remove NAME', 'sluice spool quarantine remove NAME NAME --json --yes'],
    args: names,
    flags: { yes: yesFlag },
    run: async ({ words, flags, directory, settings, confirm, ...rest }) => {
      const names = toNames(words)
      await confirm(`Delete ${names.join(', ')} with the events in ${names.length === 1 ? 'it' : 'them'}?`, flags.yes)
      const { removeQuarantined } = await import('../../../src/spool/quarantine/quarantine.ts')
      const outcomes = await withOfflineSpool({ directory, settings }, spool => removeQuarantined(spool, names))
      return tell(outcomes, done => `${plural(done, 'piece')} deleted.`, rest)
    },
  }),

  'spool:quarantine:show': spoolCommand({
    summary: 'One quarantined piece: the reason, and what can be read of it.',
    examples: ['sluice spool quarantine show segment-7-4096.damaged'],
    args: { name: Args.string({ required: true, description: 'as `list` names it' }) },
    run: async ({ args, directory, log }) => {
      const { disk } = await openDisk(await directory())
      const detail = await showQuarantined(disk, args.name)
      log(`${detail.name}  ${toBytes(detail.bytes)}`)
      log(`  ${toSafeText(detail.reason)}`)
      if (detail.target !== null) log(`  goes to ${toSafeText(detail.target)}`)
      if (detail.kind === 'conflict')
        log('  compare it with the file there: remove it if that one holds its events, else release it with --new-name')
      log(`  ${plural(detail.readableEvents, 'event')} can be read${detail.sample.length > 0 ? ', such as' : ''}`)
      for (const line of detail.sample) log(`    ${toSafeText(line)}`)
      for (const problem of detail.problems) log(`  ${toSafeText(problem)}`)
      return detail
    },
  }),
}

/** The outcome for each name. @throws CliError `left` where one could not be done */
const tell = (
  outcomes: readonly QuarantineOutcome[],
  toSummary: (done: number) => string,
  { log, fail }: Pick<CommandInput<unknown, unknown>, 'log' | 'fail'>,
) => {
  for (const { name, done, detail } of outcomes)
    log(`${done ? marks.ok() : marks.bad()} ${toSafeText(`${name}: ${detail}`)}`)
  const done = outcomes.filter(outcome => outcome.done).length
  log(toSummary(done))
  const left = outcomes.length - done
  if (left > 0) fail(`${plural(left, 'name')} left as they were`, 'left')
  return { outcomes }
}
