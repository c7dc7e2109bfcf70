import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import type { BeanInfo } from '../../client/types.ts'
import { rpcCommand } from '../command/command.ts'
import { usageError } from '../command/failure.ts'
import { style } from '../print/style.ts'
import { toSafeText } from '../print/text-width.ts'
import { plural } from '../print/units.ts'
import { describeBean, listBeans, memberOf, resolveBean, toBeanValue, toValueText } from '../server/beans.ts'

/** Operations may move many files. */
const callTimeoutMs = 3_600_000

const bean = Args.string({ required: true, description: 'its name in full, or its `name=` alone' })

export const commands = {
  'beans:call': rpcCommand({
    summary: 'Run an operation of a bean.',
    examples: ['sluice beans call HDFSWriter disableFlush', 'sluice beans call RTSubsystem addTypeToCollect PageView'],
    args: {
      bean,
      operation: Args.string({ required: true, description: 'the operation' }),
      argument: Args.string({ multiple: true, description: 'its arguments, in order' }),
    },
    run: async ({ args: { bean, operation }, words, connect, log }) => {
      const rpc = await connect(callTimeoutMs)
      const mbean = await resolveBean(rpc, bean)
      const info = memberOf((await describeBean(rpc, mbean)).operations, mbean, 'operation', operation)
      const given = words.slice(2)
      if (given.length !== info.arguments.length) {
        const expected = info.arguments.map(({ name, type }) => `${name}: ${type}`).join(', ')
        const takes = plural(info.arguments.length, 'argument')
        throw usageError(`${operation}(${expected}) takes ${takes}, not ${given.length}`)
      }
      const values = given.map((word, i) => toBeanValue(word, info.arguments[i]?.type ?? 'string'))
      const value = await rpc.exec(mbean, operation, values)
      log(info.returns === 'void' ? 'Done.' : toValueText(value))
      return { mbean, operation, value: value ?? null }
    },
  }),

  'beans:get': rpcCommand({
    listsRows: true,
    summary: 'Read attributes of a bean: all, or those named.',
    examples: [
      'sluice beans get HDFSWriter',
      'sluice beans get WriterQueueStats WrittenEvents HdfsFlushes',
      'sluice beans get sluice.metrics.collector:name=HDFSWriter FlushEnabled --json',
      'sluice beans get WriterQueueStats --output csv > writer.csv',
    ],
    args: { bean, attribute: Args.string({ multiple: true, description: 'attributes; all without' }) },
    run: async ({ args, words, connect, log, output, table }) => {
      const rpc = await connect()
      const mbean = await resolveBean(rpc, args.bean)
      const names = words.slice(1)
      const { value, timestamp } = await (names.length > 0 ? rpc.read(mbean, names) : rpc.read(mbean))
      const rows = Object.entries(value).map(([attribute, one]) => ({ attribute, value: one }))
      // One value alone is for scripts.
      if (names.length === 1 && output === 'table') for (const row of rows) log(toValueText(row.value))
      else
        table(rows, [
          { title: 'ATTRIBUTE', cell: row => row.attribute },
          { title: 'VALUE', cell: row => toValueText(row.value), flexible: true },
        ])
      return { mbean, attributes: value, timestamp }
    },
  }),

  'beans:list': rpcCommand({
    listsRows: true,
    summary: 'List what can be watched and steered: beans with their attributes and operations.',
    examples: [
      'sluice beans list',
      "sluice beans list '*:name=HDFSWriter'",
      'sluice beans list --long',
      'sluice beans list --output ndjson --columns mbean,description',
    ],
    args: { pattern: Args.string({ description: 'a name or a pattern' }) },
    flags: {
      long: Flags.boolean<boolean>({ char: 'l', summary: 'with every attribute and operation', default: false }),
    },
    run: async ({ args, flags, connect, log, output, table }) => {
      const beans = await listBeans(await connect(), args.pattern)
      if (flags.long && output === 'table') for (const bean of beans) log(toLongText(bean))
      else
        table(beans, [
          { title: 'BEAN', field: 'mbean', cell: bean => bean.mbean, flexible: true },
          { title: 'ATTRIBUTES', cell: bean => String(Object.keys(bean.attributes).length), align: 'right' },
          { title: 'OPERATIONS', cell: bean => String(Object.keys(bean.operations).length), align: 'right' },
          { title: 'DESCRIPTION', cell: bean => bean.description, flexible: true },
        ])
      return { beans }
    },
  }),

  'beans:search': rpcCommand({
    listsRows: true,
    summary: 'Names of the beans that match a pattern.',
    description: 'Patterns are those of JMX: `*` and `?` in the domain and in values, `,*` for more properties.',
    examples: [
      "sluice beans search '*:type=BodyResource,*'",
      "sluice beans search 'sluice.metrics.collector:*' --json",
    ],
    args: { pattern: Args.string({ required: true, description: 'the pattern' }) },
    run: async ({ args, connect, log, rows }) => {
      const mbeans = await (await connect()).search(args.pattern)
      for (const mbean of mbeans) log(mbean)
      rows(mbeans.map(mbean => ({ mbean })))
      return { mbeans }
    },
  }),

  'beans:set': rpcCommand({
    summary: 'Write an attribute of a bean.',
    examples: [
      'sluice beans set HDFSWriter CutoffTime 7200000',
      'sluice beans set HTTPEventHandler CollectionEnabled false',
    ],
    args: {
      bean,
      attribute: Args.string({ required: true, description: 'the attribute' }),
      value: Args.string({ required: true, description: 'the new value' }),
    },
    run: async ({ args: { bean, attribute, value: word }, connect, log }) => {
      const rpc = await connect()
      const mbean = await resolveBean(rpc, bean)
      const info = memberOf((await describeBean(rpc, mbean)).attributes, mbean, 'attribute', attribute)
      const value = toBeanValue(word, info.type)
      const before = await rpc.write(mbean, attribute, value)
      log(`${attribute}: ${toValueText(before)} → ${toValueText(value)}`)
      return { mbean, attribute, before: before ?? null, value }
    },
  }),
}

const toLongText = ({ mbean, description, attributes, operations }: BeanInfo): string =>
  [
    style('bold', toSafeText(mbean)),
    `  ${toSafeText(description)}`,
    ...Object.entries(attributes).map(
      ([name, { type, writable, description: text }]) =>
        `  ${name}: ${type}${writable ? ' (writable)' : ''}  ${style('dim', toSafeText(text))}`,
    ),
    ...Object.entries(operations).map(([name, { arguments: args, returns, description: text }]) => {
      const list = args.map(arg => `${arg.name}: ${arg.type}`).join(', ')
      return `  ${name}(${list}): ${returns}  ${style('dim', toSafeText(text))}`
    }),
    '',
  ].join('\n')
