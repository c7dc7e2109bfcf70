import type { RpcClient } from '../../client/rpc-client.ts'
import { rpcCommand } from '../command/command.ts'
import { switchCommand } from '../command/switch-command.ts'
import { marks } from '../print/style.ts'
import { textColumns, toSafeText } from '../print/text-width.ts'
import { toCountOrDash } from '../print/units.ts'
import { type BeanNames, beanNames, flagOf, numberOf, readBeans } from '../server/collector-beans.ts'
import { toProblemLines } from '../server/problem-lines.ts'
import { toShownProblems } from '../server/problems.ts'

/** What goes to the broker: event types that are forwarded, and how many events. */
const readRealtimeStatus = async (rpc: RpcClient, names: BeanNames) => {
  const beans = [names.realtime, names.realtimeQueue, names.health]
  const [subsystem = {}, queue = {}, health = {}] = await readBeans(rpc, beans)
  return {
    enabled: flagOf(subsystem, 'Enabled') ?? null,
    problems: toShownProblems(health).filter(({ part }) => part === 'realtime'),
    types: toTypes(subsystem['TypesToCollect']),
    sent: numberOf(queue, 'SentEvents') ?? null,
    dropped: numberOf(queue, 'DroppedEvents') ?? null,
    errored: numberOf(queue, 'ErroredEvents') ?? null,
  }
}

/** An array, or the text `[A, B]` that old servers gave. */
const toTypes = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.map(String)
  if (typeof value !== 'string') return []
  return value
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map(type => type.trim())
    .filter(type => type !== '')
}

export const commands = {
  'realtime:disable': switchCommand({
    summary: 'Stop forwarding events to the broker; what is stored is not touched.',
    example: 'sluice realtime disable',
    bean: 'realtime',
    operation: 'disable',
    done: 'Forwarding is off.',
    readStatus: readRealtimeStatus,
  }),

  'realtime:enable': switchCommand({
    summary: 'Forward events to the broker again.',
    example: 'sluice realtime enable',
    bean: 'realtime',
    operation: 'enable',
    done: 'Forwarding is on.',
    readStatus: readRealtimeStatus,
  }),

  'realtime:status': rpcCommand({
    summary: 'Whether events are forwarded to the broker, which, and how many.',
    examples: ['sluice realtime status', 'sluice realtime status --json'],
    run: async ({ connect, log }) => {
      const rpc = await connect()
      const status = await readRealtimeStatus(rpc, await beanNames(rpc))
      const words = {
        true: `${marks.ok()} Forwarding is on`,
        false: `${marks.warn()} Forwarding is off`,
        null: '– There is no broker',
      }
      // The cause before the switch.
      for (const problem of status.problems) for (const line of toProblemLines(problem, textColumns())) log(line)
      if (status.problems.length === 0) log(words[`${status.enabled}`])
      log(`  types    ${toSafeText(status.types.join(', ')) || '–'}`)
      log(`  sent     ${toCountOrDash(status.sent)}`)
      log(`  dropped  ${toCountOrDash(status.dropped)}`)
      log(`  errored  ${toCountOrDash(status.errored)}`)
      return status
    },
  }),
}
