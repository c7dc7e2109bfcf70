import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { RpcClient } from '../../client/rpc-client.ts'
import { serverCommand } from '../command/command.ts'
import { CliError, usageError } from '../command/failure.ts'
import type { GatewayCalls } from '../files/gateway.ts'
import { marks } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural, toCount } from '../print/units.ts'
import type { SampleEvent } from '../schema/sample.ts'
import type { Trial } from '../schema/try-schema.ts'

/** Events that are looked at unless said. */
const usualLimit = 1_000

/** Misfits that are listed for each schema. */
const maxListed = 10

const sampleFlags = {
  file: Flags.string({
    char: 'f',
    summary: 'a file of events here, instead of those of the server: .jsonl, .json, .smile, perhaps .gz or .zst',
    helpValue: 'FILE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  path: Flags.string({
    summary: 'where the files of the type are on the server [default: where it puts them]',
    helpValue: 'PATH',
    exclusive: ['file'],
  }),
  limit: Flags.integer({ char: 'n', summary: 'events to look at', min: 1, default: usualLimit, helpValue: 'COUNT' }),
}

export const commands = {
  'schema:check': serverCommand({
    listsRows: true,
    summary: 'Try schemas on events, before they are switched on.',
    description:
      'A schema is a JSON Schema (draft 2020-12) in a file TYPE.json, with the files beside it that it refers to. It is tried on the newest events of its type in the file system; a field of theirs that is null counts as absent. Exit code 1 when an event does not fit, or a schema cannot be used.',
    examples: [
      'sluice schema check Order.json',
      'sluice schema check schemas/*.json --limit 10000',
      'sluice schema check Order.json --file events.jsonl',
      'sluice schema check draft.json --type Order --path /archive/Order/2026',
    ],
    args: { schema: Args.string({ required: true, multiple: true, description: 'files of schemas' }) },
    flags: {
      ...sampleFlags,
      type: Flags.string({ summary: 'the event type, where the name of the file is not', helpValue: 'TYPE' }),
    },
    run: async ({ words, flags, gateway, connect, table, log, logToStderr, fail }) => {
      if (flags.type !== undefined && words.length > 1) throw usageError('--type needs exactly one schema')
      const [{ openSchema, toSchemaType, trySchema }, sample] = await Promise.all([
        import('../schema/try-schema.ts'),
        toSample(flags, { gateway, connect }),
      ])
      const trials: Trial[] = []
      // The underscore marks what other schemas refer to.
      for (const file of words.length === 1 ? words : words.filter(word => !/(?:^|\/)_[^/]*$/.test(word))) {
        const type = flags.type ?? toSchemaType(file)
        const contract = await openSchema(file, type)
        trials.push(await trySchema(file, contract, sample(type), { limit: flags.limit, listed: maxListed }))
      }
      table(trials, [
        { title: 'SCHEMA', field: 'file', cell: ({ file }) => toSafeText(file), flexible: true },
        { title: 'TYPE', cell: ({ type }) => toSafeText(type) },
        { title: 'EVENTS', cell: ({ events }) => toCount(events), align: 'right' },
        { title: 'FIT', cell: ({ fit }) => toCount(fit), align: 'right' },
      ])
      for (const { type, events, fit, misfits } of trials) {
        if (events === 0) logToStderr(toSafeText(`${marks.warn()} there are no events of ${type} to try it on`))
        for (const { from, detail } of misfits) log(toSafeText(`${from}: ${detail}`))
        const more = events - fit - misfits.length
        if (more > 0) log(`… and ${toCount(more)} more of ${toSafeText(type)}`)
      }
      const misfit = trials.reduce((sum, { events, fit }) => sum + events - fit, 0)
      const looked = trials.reduce((sum, { events }) => sum + events, 0)
      if (misfit > 0) fail(`${toCount(misfit)} of ${plural(looked, 'event')} do not fit`, 'misfits')
      else if (looked > 0)
        log(`${marks.ok()} ${looked === 1 ? 'the event fits' : `all ${plural(looked, 'event')} fit`}`)
      return { schemas: trials }
    },
  }),
  'schema:infer': serverCommand({
    hasJson: false,
    summary: 'Write a schema of what came.',
    description:
      'A JSON Schema that fits the newest events of a type, and says no more than that: types, fields that all have, formats of texts, what is in lists and objects. A field that is null counts as absent.',
    examples: ['sluice schema infer Order > Order.json', 'sluice schema infer Order --file events.jsonl'],
    args: { type: Args.string({ required: true, description: 'event type' }) },
    flags: sampleFlags,
    run: async ({ args, flags, gateway, connect, logToStderr }) => {
      const [{ createInference }, { stringifyJson }, sample] = await Promise.all([
        import('../../../src/event-contracts/infer.ts'),
        import('../../../src/formats/json.ts'),
        toSample(flags, { gateway, connect }),
      ])
      const inference = createInference()
      for await (const { payload } of sample(args.type)) {
        inference.add(payload)
        if (inference.count >= flags.limit) break
      }
      if (inference.count === 0) throw new CliError(`There are no events of ${args.type}`, { code: 'not-found' })
      const { writeOut } = await import('../print/terminal.ts')
      writeOut(`${stringifyJson(inference.schema(args.type), { indent: 2 })}\n`)
      logToStderr(`Made of ${plural(inference.count, 'event')}.`)
    },
  }),
}

type Reach = { readonly gateway: () => Promise<GatewayCalls>; readonly connect: () => Promise<RpcClient> }

type Wanted = { readonly file?: readonly string[] | undefined; readonly path?: string | undefined }

/** Where the events of a type come from. */
const toSample = async (
  { file: files, path }: Wanted,
  { gateway: connectGateway, connect }: Reach,
): Promise<(type: string) => AsyncIterable<SampleEvent>> => {
  const { readLocalEvents, readNewestEvents } = await import('../schema/sample.ts')
  const { encodeEventName } = await import('../../../src/spool/bucket.ts')
  if (files === undefined) {
    const gateway = await connectGateway()
    if (path !== undefined) return () => readNewestEvents(gateway, path)
    const { readEventDirectory } = await import('../server/event-directory.ts')
    const directory = await readEventDirectory(await connect())
    return type => readNewestEvents(gateway, `${directory}/${encodeEventName(type)}`)
  }
  return async function* readFiles(type) {
    for (const file of files)
      for await (const { payload, from } of readLocalEvents(file, type)) yield { payload, from: `${file}: ${from}` }
  }
}
