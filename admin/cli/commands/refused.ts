import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { gatewayCommand, yesFlag } from '../command/command.ts'
import { CliError, usageError } from '../command/failure.ts'
import type { RefusedEventRow, ReplayOutcome } from '../events/refused.ts'
import type { GatewayCalls } from '../files/gateway.ts'
import { parseMoment } from '../files/moment.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toBytes } from '../print/units.ts'

const filterFlags = {
  code: Flags.string({ summary: 'only those refused with this code, such as schema-mismatch', helpValue: 'CODE' }),
  since: Flags.string({ summary: 'only those since then: 6h, 2026-11-23, 2026-11-23T14:00', helpValue: 'TIME' }),
  directory: Flags.string({
    summary: 'where event files are: collector.event-output-directory',
    default: '/events',
    helpValue: 'DIR',
  }),
}

const types = Args.string({ multiple: true, description: 'event types; _unknown for those that could not be read' })
const ids = Args.string({ required: true, multiple: true, description: 'as `list` shows them' })

type Filters = { readonly code?: string | undefined; readonly since?: string | undefined; readonly directory: string }

/** Rows that are listed, exported or sent at most in one call. */
const maxRows = 10_000

const find = async (
  gateway: GatewayCalls,
  { code, since, directory }: Filters,
  wanted: { readonly types?: readonly string[]; readonly ids?: readonly string[] },
): Promise<readonly RefusedEventRow[]> => {
  const { readRefused } = await import('../events/refused.ts')
  const from = since === undefined ? undefined : await parseMoment(since, gateway, Date.now())
  const found: RefusedEventRow[] = []
  for await (const row of readRefused(gateway, directory, { types: [], ...wanted, code, since: from })) {
    if (found.length === maxRows)
      throw new CliError(`There are more than ${maxRows}`, {
        code: 'too-many',
        hint: 'Narrow it down with a type, --code or --since.',
      })
    found.push(row)
  }
  return found.sort((a, b) => a.when - b.when)
}

const isoTime = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString() : '–')

export const commands = {
  'refused:list': gatewayCommand({
    listsRows: true,
    summary: 'Refused events, and why.',
    description:
      'Those that have reached the file system: `sluice flush now` brings the newest there. Needs the role read.',
    examples: [
      'sluice refused list',
      'sluice refused list Order --code schema-mismatch --since 6h',
      'sluice refused list -o ndjson',
    ],
    args: { type: types },
    flags: filterFlags,
    run: async ({ words, flags, gateway, table, log }) => {
      const refused = await find(await gateway(), flags, { types: words })
      if (refused.length === 0) log('No refused events are stored.')
      else
        table(refused, [
          { title: 'WHEN', cell: row => isoTime(row.when) },
          { title: 'TYPE', cell: row => toSafeText(row.type || '–') },
          { title: 'CODE', cell: row => row.code },
          { title: 'FROM', field: 'peer', cell: row => toSafeText(row.peer) },
          { title: 'ID', cell: row => row.id },
          { title: 'DETAIL', cell: row => toSafeText(row.detail), flexible: true },
        ])
      return { refused }
    },
  }),

  'refused:show': gatewayCommand({
    summary: 'One refused event: the reason, and what was sent.',
    examples: ['sluice refused show 3f2b8c1e-6a55-4f0e-9a0c-0d6f3c1f7b11'],
    args: { id: Args.string({ required: true, description: 'as `list` shows it' }) },
    flags: { directory: filterFlags.directory },
    run: async ({ args, flags, gateway, log }) => {
      const [row] = await find(await gateway(), flags, { ids: [args.id] })
      if (row === undefined) throw notFound(args.id)
      const place = row.position === undefined ? 'the whole request' : `event ${row.position} of its request, from 0`
      log(`${isoTime(row.when)}  ${toSafeText(row.type || 'unknown type')}  from ${toSafeText(row.peer)} by ${row.api}`)
      log(`  ${row.code}: ${toSafeText(row.detail)}`)
      log(`  ${place}; ${toBytes(row.bytes)}${row.isCut ? ', only the beginning is stored' : ''}`)
      log(
        `  ${row.method} ${toSafeText(row.target)}${row.contentType === undefined ? '' : ` as ${toSafeText(row.contentType)}`}`,
      )
      const text = row.sent ?? (row.sentBase64 === undefined ? undefined : `base64: ${row.sentBase64}`)
      if (text !== undefined) log(toSafeText(text))
      return row
    },
  }),

  'refused:export': gatewayCommand({
    hasJson: false,
    summary: 'What was refused, as lines of JSON that can be fixed and sent with `sluice send --file`.',
    description: 'Only what was sent as JSON, in full; the others are counted on standard error.',
    examples: ['sluice refused export Order > orders.jsonl'],
    args: { type: types },
    flags: filterFlags,
    run: async ({ words, flags, gateway, logToStderr }) => {
      const refused = await find(await gateway(), flags, { types: words })
      const { printLine } = await import('../print/terminal.ts')
      let left = 0
      for (const row of refused) {
        const line = toJsonLine(row)
        if (line === undefined) left++
        else printLine(line)
      }
      if (left > 0) logToStderr(`${plural(left, 'refused request')} left out: not JSON, or not stored in full`)
      return undefined
    },
  }),

  'refused:replay': gatewayCommand({
    summary: 'Send refused events again, after the contract or the setting that refused them was fixed.',
    description:
      'Each goes in once, with its old date, however often this is called. Name ids, or --all with types and filters. Needs the roles read and send.',
    examples: [
      'sluice refused replay 3f2b8c1e-6a55-4f0e-9a0c-0d6f3c1f7b11',
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
    run: async ({ words, flags, gateway, address, confirm, log, logToStderr, fail }) => {
      if (words.length === 0 && !flags.all) throw usageError('Name the events to replay', 'Or use --all.')
      const refused = await find(await gateway(), flags, { types: flags.type ?? [], ids: words })
      for (const id of words) if (!refused.some(row => row.id === id)) throw notFound(id)
      if (flags.all) await confirm(`Send ${plural(refused.length, 'refused request')} again?`, flags.yes)
      const [{ replay }, { createGatewayCalls }] = await Promise.all([
        import('../events/refused.ts'),
        import('../files/gateway.ts'),
      ])
      const { serverUrl, token } = await address()
      const collector = createGatewayCalls(serverUrl, token)
      const outcomes: ReplayOutcome[] = []
      for (const row of refused) outcomes.push(await replay(collector, row))
      const accepted = outcomes.filter(({ outcome }) => outcome === 'accepted').length
      for (const { id, outcome, detail } of outcomes)
        if (outcome !== 'accepted') logToStderr(toSafeText(`${id} ${outcome}: ${detail}`))
      const told = `${accepted} of ${plural(outcomes.length, 'refused request')} accepted`
      if (accepted < outcomes.length) fail(told, 'refused')
      else log(`${marks.ok()} ${told}`)
      return { outcomes }
    },
  }),
}

const toJsonLine = ({ sent, isCut, contentType = '' }: RefusedEventRow): string | undefined => {
  if (sent === undefined || isCut || !/json|text\/plain/.test(contentType)) return undefined
  try {
    JSON.parse(sent)
    // A line break within JSON is white space.
    return sent.replaceAll(/[\r\n]+/g, ' ')
  } catch {
    return undefined
  }
}

const notFound = (id: string): CliError =>
  new CliError(`No refused event has the id ${id.slice(0, 60)}`, {
    code: 'not-found',
    hint: 'See `sluice refused list`; the newest arrive there with `sluice flush now`.',
  })
