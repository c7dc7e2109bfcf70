import type { RpcClient } from '../../client/rpc-client.ts'
import { type BeanNames, beanNames, readBeans, toFlag, toNumber } from '../lib/collector-beans.ts'
import { rpcCommand } from '../lib/command.ts'
import { marks } from '../lib/style.ts'
import { switchCommand } from '../lib/switch-command.ts'
import { toSafeText } from '../lib/text-width.ts'
import { toCountText } from '../lib/units.ts'

/** What goes to the broker: event types that are forwarded, and how many events. */
const readRealtimeStatus = async (rpc: RpcClient, names: BeanNames) => {
  const [subsystem = {}, queue = {}] = await readBeans(rpc, [names.realtime, names.realtimeQueue])
  return {
    enabled: toFlag(subsystem, 'Enabled') ?? null,
    types: toTypes(subsystem['TypesToCollect']),
    sent: toNumber(queue, 'SentEvents') ?? null,
    dropped: toNumber(queue, 'DroppedEvents') ?? null,
    errored: toNumber(queue, 'ErroredEvents') ?? null,
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
      log(words[`${status.enabled}`])
      log(`  types    ${toSafeText(status.types.join(', ')) || '–'}`)
      log(`  sent     ${toCountText(status.sent)}`)
      log(`  dropped  ${toCountText(status.dropped)}`)
      log(`  errored  ${toCountText(status.errored)}`)
      return status
    },
  }),
}
