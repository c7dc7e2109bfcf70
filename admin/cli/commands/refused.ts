import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { RpcClient } from '../../client/rpc-client.ts'
import { rpcCommand, yesFlag } from '../command/command.ts'
import { CliError, usageError } from '../command/failure.ts'
import type { RefusedFilter, ShownRefusal, ShownReplay } from '../events/refused.ts'
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

/** Rows that are listed or sent at most in one call. */
const maxRows = 10_000

const toWanted = async ({ code, since }: Filters, types: readonly string[]): Promise<RefusedFilter> => {
  const { parseTime } = await import('../files/moment.ts')
  return { types, code, since: since === undefined ? undefined : parseTime(since, Date.now()) }
}

const find = async (
  rpc: RpcClient,
  { types: wanted, ...filters }: Filters & { readonly types: readonly string[] },
): Promise<{ readonly found: readonly ShownRefusal[]; readonly waiting: number }> => {
  const { listRefusedEvents } = await import('../events/refused.ts')
  const found: ShownRefusal[] = []
  let waiting = 0
  const toWait = (events: number): void => {
    waiting = events
  }
  for await (const row of listRefusedEvents(rpc, 'list', await toWanted(filters, wanted), toWait)) {
    if (found.length === maxRows)
      throw new CliError(`There are more than ${maxRows}`, {
        code: 'too-many',
        hint: 'Narrow it down with a type, --code or --since.',
      })
    found.push(row)
  }
  return { found, waiting }
}

const isoTime = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : '–')

const toWaitingText = (events: number): string =>
  `${plural(events, 'more refused event')} ${events === 1 ? 'is' : 'are'} not in a file yet: \`sluice flush now\` takes ${events === 1 ? 'it' : 'them'} there.`

/** Why a row cannot be sent in again, or that it was. */
const toState = ({ kind, events, isReplayed, notReplayable }: ShownRefusal): string => {
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
      const { found: refused, waiting } = await find(await connect(), { ...flags, types: words })
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
      if (waiting > 0) logToStderr(toWaitingText(waiting))
      return { refused, waiting }
    },
  }),

  'refused:show': rpcCommand({
    summary: 'One refused event: the reason, and what was sent.',
    examples: ['sluice refused show 019ab0c4-1f2e-7c3d-9a0c-0d6f3c1f7b11'],
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
    summary: 'What was refused, as lines of JSON that can be fixed and sent with `sluice send --file`.',
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
      const { listRefusedEvents } = await import('../events/refused.ts')
      for await (const row of listRefusedEvents(await connect(), 'export', wanted)) {
        const line = flags.all ? JSON.stringify(row) : toJsonLine(row)
        if (!flags.all && row.isReplayed) left.replayed++
        else if (line === undefined) left.unfit++
        else printLine(line)
      }
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
      'The server sends them to itself: each goes in once, with its old date, however often this is called. Name ids, or --all with types and filters. Needs the roles operate and read, and with --all view. Exit code 1 when an event did not get in.',
    examples: [
      'sluice refused replay 019ab0c4-1f2e-7c3d-9a0c-0d6f3c1f7b11',
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
      const wanted = flags.all ? await findAll(rpc, { ...flags, types: flags.type ?? [] }) : words
      if (flags.all) await confirm(`Send ${plural(wanted.length, 'refused request')} again?`, flags.yes)
      const [{ replayRefusedEvents }, { withProgress }] = await Promise.all([
        import('../events/refused.ts'),
        import('../print/progress.ts'),
      ])
      const outcomes = await withProgress({ label: 'Replaying', format: toCount }, update =>
        replayRefusedEvents(rpc, wanted, done => update(done, wanted.length, 'requests')),
      )
      const left = outcomes.filter(one => !isWhole(one))
      for (const { id, outcome, detail } of left)
        logToStderr(toSafeText(`${id} ${outcome === 'accepted' ? 'accepted in part' : outcome}: ${detail}`))
      const told = toOutcomeText(outcomes)
      if (left.length === 0) log(`${marks.ok()} ${told}`)
      else fail(told, 'refused')
      return { outcomes }
    },
  }),
}

const toPlaceText = ({ kind, events, position }: ShownRefusal): string => {
  if (kind === 'rest') return `and ${plural(events, 'more event')} of its request`
  return typeof position === 'number' ? `event ${position} of its request, from 0` : 'the whole request'
}

/** The oldest first, in the order in which they came. */
const findAll = async (
  rpc: RpcClient,
  filters: Filters & { readonly types: readonly string[] },
): Promise<readonly string[]> => (await find(rpc, filters)).found.map(({ id }) => id).toReversed()

const isIn = ({ outcome }: ShownReplay): boolean => outcome === 'accepted' || isBefore(outcome)

const isBefore = (outcome: ShownReplay['outcome']): boolean => outcome === 'before' || outcome === 'duplicate'

/** Of what is in, a detail says which part is not. */
const isWhole = (one: ShownReplay): boolean => isIn(one) && one.detail === ''

const toOutcomeText = (outcomes: readonly ShownReplay[]): string => {
  const taken = outcomes.filter(isIn)
  const before = taken.filter(({ outcome }) => isBefore(outcome)).length
  const part = taken.filter(one => !isWhole(one)).length
  return [
    `${toCount(taken.length)} of ${plural(outcomes.length, 'refused request')} accepted`,
    ...(before === 0 ? [] : [`${toCount(before)} of them before`]),
    ...(part === 0 ? [] : [`${toCount(part)} of them in part`]),
  ].join(', ')
}

/** What was sent, with a line of marks below the place that the reason is about. */
const toSentLines = ({ sent, sentBase64, mark }: ShownRefusal): readonly string[] => {
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
const toJsonLine = ({ sent, isCut, contentType, target }: ShownRefusal): string | undefined => {
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
