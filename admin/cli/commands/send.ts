import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import { collectorCommand } from '../command/command.ts'
import { usageError } from '../command/failure.ts'
import { toEventJson } from '../events/event-fields.ts'
import { type EventBatch, type FileFormat, fileFormats, readBatches, toFileFormat } from '../events/event-files.ts'
import { sendBatches } from '../events/send.ts'
import { withProgress } from '../print/progress.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toCount, toTimeSpan } from '../print/units.ts'

/** Refusals that are listed one by one. */
const maxTold = 20

export const commands = {
  send: collectorCommand({
    // `--json` holds fields here.
    hasJson: false,
    summary: 'Send an event, or a file of events.',
    description:
      'A value is JSON where it parses as such (numbers, true, false, null, lists, objects) and text otherwise; a.b=1 is a field in a field. A file of JSON lines may be of any length; others are one request (64 MiB). Files with the suffix .gz or .zst are decompressed. An event that is resent after a lost answer counts once. Exit code 1 when an event was refused. Needs the role send.',
    examples: [
      'sluice send PageView path=/news user.id=7 member=true',
      'sluice send Order --string zip=01234 --json \'{"items":[{"sku":"hat"}]}\'',
      'sluice send --file events.jsonl',
      'sluice send --file old.jsonl.gz --date 2026-11-20 --granularity DAILY',
      'capture | sluice send --file - --as smile',
      'sluice send PageView --file one-struct.thrift',
    ],
    args: {
      event: Args.string({
        multiple: true,
        description: 'event type, then field=value; with --file the type of a Thrift struct without an envelope',
      }),
    },
    flags: {
      string: Flags.string({
        char: 's',
        summary: 'a field that is text, whatever it looks like',
        helpValue: 'FIELD=TEXT',
        multiple: true,
        multipleNonGreedy: true,
      }),
      json: Flags.string({ summary: 'an object with further fields', helpValue: 'OBJECT' }),
      file: Flags.string({
        char: 'f',
        summary: 'events of a file, or - for standard input',
        helpValue: 'FILE',
        exclusive: ['string', 'json'],
      }),
      format: Flags.option({
        options: fileFormats,
        aliases: ['as'],
        summary: 'of the file (also --as), where its name does not tell; jsonl for standard input',
        helpValue: 'FORMAT',
        dependsOn: ['file'],
      })(),
      date: Flags.string({
        char: 'd',
        summary: 'of events that have no eventDate, ISO 8601 [default: now]',
        helpValue: 'DATE',
      }),
      granularity: Flags.option({
        char: 'g',
        options: ['MINUTE', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const,
        summary: 'length of time that one set of files covers',
        helpValue: 'GRANULARITY',
      })(),
      output: Flags.option({
        char: 'o',
        options: ['table', 'json'] as const,
        summary: 'table, or json (all data)',
        default: 'table' as const,
        helpValue: 'FORMAT',
      })(),
    },
    run: async ({ words, flags, collector, log, logToStderr, fail }) => {
      const [type, ...fields] = words
      const { format, batches } = toBatches(type, fields, flags)
      const to = await collector()
      const report = await withProgress({ label: 'Sending', format: toCount }, update =>
        sendBatches(to, batches, format, {
          name: format === 'thrift' ? type : undefined,
          date: flags.date,
          granularity: flags.granularity,
          onProgress: events => update(events, undefined, flags.file),
          onRetry: (reason, ms) => logToStderr(toSafeText(`${reason}; trying again in ${toTimeSpan(ms / 1_000)}`)),
        }),
      )
      const { accepted, refused, mismatched, errors } = report
      for (const { event, line, code, detail } of errors.slice(0, maxTold)) {
        const where = line === undefined ? `event ${event}` : `line ${line}`
        logToStderr(toSafeText(`${flags.file === undefined ? where : `${flags.file}: ${where}`}: ${code}: ${detail}`))
      }
      if (errors.length > maxTold) logToStderr(`… and ${toCount(refused - maxTold)} more; --output json tells of 100`)
      if (mismatched > 0) log(`${marks.warn()} ${plural(mismatched, 'event')} not as the schema has it`)
      const counts = `${plural(accepted, 'event')} accepted`
      if (refused > 0) fail(`${counts}, ${toCount(refused)} refused`, 'refused')
      else log(`${marks.ok()} ${counts}`)
      return report
    },
  }),
}

type Wanted = {
  readonly string?: readonly string[] | undefined
  readonly json?: string | undefined
  readonly file?: string | undefined
  readonly format?: FileFormat | undefined
}

const toBatches = (
  type: string | undefined,
  fields: readonly string[],
  { string: strings = [], json, file, format }: Wanted,
): { readonly format: FileFormat; readonly batches: AsyncIterable<EventBatch> | Iterable<EventBatch> } => {
  if (file !== undefined) {
    if (fields.length > 0)
      throw usageError('Give fields or --file, not both', 'The file contains the fields of its events.')
    const fileFormat = format ?? toFileFormat(file)
    return { format: fileFormat, batches: readBatches(file, fileFormat) }
  }
  if (type === undefined) throw usageError('Nothing to send: expected an event type with fields, or --file')
  if (type.includes('=')) throw usageError(`${type.slice(0, 80)}: expected the event type first`)
  const body = new TextEncoder().encode(toEventJson(type, { fields, strings, json }))
  return { format: 'json', batches: [{ body, events: 1 }] }
}
