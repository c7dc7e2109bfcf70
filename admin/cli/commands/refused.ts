import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { RefusedDetail, RefusedLine } from '../../../src/refused/refused-answers.ts'
import type { RpcClient } from '../../client/rpc-client.ts'
import { rpcCommand, yesFlag } from '../command/command.ts'
import { CliError, usageError } from '../command/failure.ts'
import type { RefusedFilter } from '../events/refused.ts'
import type { RefusedNotes } from '../events/refused-notes.ts'
import { marks } from '../print/style.ts'
import { textWidth, toSafeText } from '../print/text-width.ts'
import { plural, toBytes, toCount } from '../print/units.ts'

const filterFlags = {
  code: Flags.string({ summary: 'only those refused with this code, such as schema-mismatch', helpValue: 'CODE' }),
  since: Flags.string({ summary: 'only those since then: 6h, 2026-11-23, 2026-11-23T14:00', helpValue: 'TIME' }),
}

const types = Args.string({ multiple: true, description: 'event types; _unknown for those that could not be read' })
const ids = Args.string({ required: true, multiple: true, description: 'as `list` shows them' })

type Filters = { readonly code?: string | undefined; readonly since?: string | undefined }

/** Rows that are listed at most. */
const maxRows = 10_000

const toWanted = async ({ code, since }: Filters, types: readonly string[]): Promise<RefusedFilter> => {
  const { parseTime } = await import('../files/moment.ts')
  return { types, code, since: since === undefined ? undefined : parseTime(since, Date.now()) }
}

const findSome = async (
  rpc: RpcClient,
  filter: RefusedFilter,
  notes: RefusedNotes,
): Promise<readonly RefusedLine[]> => {
  const { listRefusedEvents } = await import('../events/refused.ts')
  const found: RefusedLine[] = []
  for await (const row of listRefusedEvents(rpc, filter, notes.hear)) {
    if (found.length === maxRows)
      throw new CliError(`There are more than ${maxRows}`, {
        code: 'too-many',
        hint: 'Narrow the search with a type, --code or --since.',
      })
    found.push(row)
  }
  return found
}

const isoTime = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : '–')

/** Why a row cannot be sent in again, or that it was. */
const toState = ({ kind, events, isReplayed, notReplayable }: RefusedLine): string => {
  if (kind === 'rest') return `and ${toCount(events)} more`
  if (isReplayed) return 'sent again'
  return notReplayable === undefined ? '' : 'no replay'
}

export const commands = {
  'refused:list': rpcCommand({
    listsRows: true,
    summary: 'Refused events, and why; the newest first.',
    description:
      'Those that have reached the file system: `sluice flush now` brings the newest there. Needs the roles view and read.',
    examples: [
      'sluice refused list',
      'sluice refused list Order --code schema-mismatch --since 6h',
      'sluice refused list -o ndjson',
    ],
    args: { type: types },
    flags: filterFlags,
    run: async ({ words, flags, connect, table, log, logToStderr }) => {
      const { createRefusedNotes } = await import('../events/refused-notes.ts')
      const notes = createRefusedNotes()
      const refused = await findSome(await connect(), await toWanted(flags, words), notes)
      if (refused.length === 0) log('No refused events are stored.')
      else
        table(refused, [
          { title: 'WHEN', cell: row => isoTime(row.when) },
          { title: 'TYPE', cell: row => toSafeText(row.type || '–') },
          { title: 'CODE', cell: row => toSafeText(row.code) },
          { title: 'FROM', field: 'peer', cell: row => toSafeText(row.peer) },
          { title: 'ID', cell: row => toSafeText(row.id) },
          { title: 'STATE', field: 'isReplayed', cell: toState },
          { title: 'DETAIL', cell: row => toSafeText(row.detail), flexible: true },
        ])
      for (const line of notes.lines()) logToStderr(line)
      const { waiting, unreadable } = notes
      return { refused, waiting, unreadable }
    },
  }),

  'refused:show': rpcCommand({
    summary: 'One refused event: the reason, and what was sent.',
    examples: ['sluice refused show 019ab0c4-1f2e-8c3d-9a0c-0d6f3c1f7b11'],
    args: { id: Args.string({ required: true, description: 'as `list` shows it' }) },
    run: async ({ args, connect, log }) => {
      const { showRefusedEvent } = await import('../events/refused.ts')
      const row = await showRefusedEvent(await connect(), args.id)
      const place = toPlaceText(row)
      log(
        `${isoTime(row.when)}  ${toSafeText(row.type || 'unknown type')}  from ${toSafeText(row.peer)} by ${toSafeText(row.api)}`,
      )
      log(toSafeText(`  ${row.code}: ${row.detail}`))
      log(`  ${place}; ${toBytes(row.bytes)}${row.isCut ? ', only the beginning is stored' : ''}`)
      const { contentType } = row
      log(toSafeText(`  ${row.method} ${row.target}${contentType ? ` as ${contentType}` : ''}`))
      if (row.isReplayed) log('  It is in by now: it was sent again.')
      else if (row.notReplayable !== undefined) log(toSafeText(`  It cannot be sent again: ${row.notReplayable}`))
      for (const line of toSentLines(row)) log(line)
      return row
    },
  }),

  'refused:export': rpcCommand({
    hasJson: false,
    summary: 'Refused events, as lines of JSON that can be fixed and sent with `sluice send --file`.',
    description:
      'The newest first, as they are read. Only what is not in by now, and was sent to /rest/1.0/event as JSON, in full; the others are counted on standard error. With --all every row, with the reason and what was sent as one of its members. Needs the roles view and read.',
    examples: ['sluice refused export Order > orders.jsonl', 'sluice refused export --all --since 1d > refused.jsonl'],
    args: { type: types },
    flags: {
      ...filterFlags,
      all: Flags.boolean<boolean>({ summary: 'every row as it is stored, also what cannot be sent', default: false }),
    },
    run: async ({ words, flags, connect, logToStderr }) => {
      const left = { replayed: 0, unfit: 0 }
      const [{ printLine }, wanted] = await Promise.all([import('../print/terminal.ts'), toWanted(flags, words)])
      const [{ exportRefusedEvents }, { createRefusedNotes }] = await Promise.all([
        import('../events/refused.ts'),
        import('../events/refused-notes.ts'),
      ])
      const notes = createRefusedNotes()
      for await (const row of exportRefusedEvents(await connect(), wanted, notes.hear)) {
        const line = flags.all ? JSON.stringify(row) : toJsonLine(row)
        if (!flags.all && row.isReplayed) left.replayed++
        else if (line === undefined) left.unfit++
        else printLine(line)
      }
      for (const line of notes.lines()) logToStderr(line)
      if (left.replayed > 0) logToStderr(`${plural(left.replayed, 'refused request')} left out: in by now`)
      if (left.unfit > 0)
        logToStderr(
          `${plural(left.unfit, 'refused request')} left out: not JSON for /rest/1.0/event, or not stored in full`,
        )
      return undefined
    },
  }),

  'refused:replay': rpcCommand({
    summary: 'Send refused events again, after the contract or the setting that refused them was fixed.',
    description:
      'The server sends them to itself, the oldest first: each goes in once, with its old date, however often this is called. Name ids, or --all with types and filters. Needs the roles operate and read, and with --all view. Exit code 1 when an event did not get in.',
    examples: [
      'sluice refused replay 019ab0c4-1f2e-8c3d-9a0c-0d6f3c1f7b11',
      'sluice refused replay --all --type Order --since 1d',
    ],
    args: { id: { ...ids, required: false } },
    flags: {
      ...filterFlags,
      all: Flags.boolean<boolean>({ summary: 'all that the filters leave', default: false }),
      type: Flags.string({
        summary: 'only those of this type',
        multiple: true,
        multipleNonGreedy: true,
        helpValue: 'TYPE',
      }),
      yes: yesFlag,
    },
    run: async ({ words, flags, connect, confirm, log, logToStderr, fail }) => {
      if (words.length === 0 && !flags.all) throw usageError('Name the events to replay', 'Or use --all.')
      if (words.length > 0 && flags.all) throw usageError('Name the events to replay, or use --all')
      const rpc = await connect()
      const [
        { findRefusedIds, replayRefusedEvents },
        { createRefusedNotes },
        { isWhollyIn, toOutcomeText },
        { withProgress },
      ] = await Promise.all([
        import('../events/refused.ts'),
        import('../events/refused-notes.ts'),
        import('../events/replay-outcomes.ts'),
        import('../print/progress.ts'),
      ])
      const notes = createRefusedNotes()
      const filter = await toWanted(flags, flags.type ?? [])
      const wanted = flags.all
        ? await withProgress({ label: 'Looking', format: toCount }, update =>
            findRefusedIds(rpc, filter, notes.hear, found => update(found, undefined, 'requests')),
          )
        : words
      for (const line of notes.lines()) logToStderr(line)
      if (flags.all) await confirm(`Send ${plural(wanted.length, 'refused request')} again?`, flags.yes)
      const outcomes = await withProgress({ label: 'Replaying', format: toCount }, update =>
        replayRefusedEvents(rpc, wanted, done => update(done, wanted.length, 'requests')),
      )
      const left = outcomes.filter(one => !isWhollyIn(one))
      for (const { id, outcome, detail } of left)
        logToStderr(toSafeText(`${id} ${outcome === 'accepted' ? 'accepted in part' : outcome}: ${detail}`))
      const told = toOutcomeText(outcomes)
      if (left.length === 0) log(`${marks.ok()} ${told}`)
      else fail(told, 'refused')
      return { outcomes }
    },
  }),
}

const toPlaceText = ({ kind, events, position }: RefusedLine): string => {
  if (kind === 'rest') return `and ${plural(events, 'more event')} of its request`
  return typeof position === 'number' ? `event ${position} of its request, from 0` : 'the whole request'
}

/** What was sent, with a line of marks below the place that the reason is about. */
const toSentLines = ({ sent, sentBase64, mark }: RefusedDetail): readonly string[] => {
  if (sent === undefined) return sentBase64 === undefined ? [] : [toSafeText(`base64: ${sentBase64}`)]
  if (mark === undefined) return sent.split('\n').map(toSafeText)
  let start = 0
  return sent.split('\n').flatMap(line => {
    const from = Math.max(0, mark.start - start)
    const to = Math.min(line.length, mark.end - start)
    start += line.length + 1
    if (from >= to) return [toSafeText(line)]
    const [before, marked] = [line.slice(0, from), line.slice(from, to)].map(part => textWidth(toSafeText(part)))
    return [toSafeText(line), `${' '.repeat(before ?? 0)}${'^'.repeat(Math.max(1, marked ?? 0))}`]
  })
}

/** What can be sent as it is; undefined for what cannot, such as a body of another make. */
const toJsonLine = ({ sent, isCut, contentType, target }: RefusedDetail): string | undefined => {
  const { pathname, searchParams } = new URL(target, 'http://host')
  if (pathname !== '/rest/1.0/event' || searchParams.has('name')) return undefined
  if (sent === undefined || isCut || !/json|text\/plain/.test(contentType ?? '')) return undefined
  try {
    JSON.parse(sent)
    // A line break within JSON is white space.
    return sent.replaceAll(/[\r\n]+/g, ' ')
  } catch {
    return undefined
  }
}
