import { collectorCommand } from '../command/command.ts'
import { CliError } from '../command/failure.ts'
import type { GatewayCalls } from '../files/gateway.ts'
import { outputFlag } from '../print/listing.ts'
import { marks } from '../print/style.ts'
import { textColumns, toSafeText, wrap } from '../print/text-width.ts'

/** The health report, and the worst of its codes. */
type Health = {
  readonly status: 'OK' | 'WARN' | 'ERROR'
  readonly items: readonly { readonly type: string; readonly code: 'OK' | 'WARN' | 'ERROR'; readonly message: string }[]
}

export const commands = {
  health: collectorCommand({
    summary: 'How the parts of the server are.',
    description: 'Exit code 1 when events are refused (a part is in ERROR); 3 when nothing answers.',
    examples: ['sluice health', 'sluice health --server-url https://sluice.example', 'sluice health --output csv'],
    flags: { output: outputFlag },
    run: async ({ collector, log, rows, fail }) => {
      const health = await readHealth(await collector())
      const width = textColumns()
      for (const { type, code, message } of health.items) {
        const mark = code === 'OK' ? marks.ok() : code === 'WARN' ? marks.warn() : marks.bad()
        log(`${mark} ${type.replace(/HealthCheck$/, '')}: ${code}`)
        for (const line of wrap(toSafeText(message.replace(/\s+/g, ' ')), width - 4)) log(`    ${line}`)
      }
      rows(health.items)
      if (health.status === 'ERROR') fail('Events are refused', 'unhealthy')
      return health
    },
  }),
}

/** Reads the report; it comes with 503 as well when a part is in ERROR. */
const readHealth = async (collector: GatewayCalls): Promise<Health> => {
  const response = await collector.send('/1.0/healthcheck', {})
  const report: unknown = await response.json().catch(() => undefined)
  if (!isReport(report)) {
    throw new CliError(`The server answered HTTP ${response.status} without a health report`, {
      code: 'no-report',
      hint: 'Is this the listener of the collector? See --server-url.',
    })
  }
  const codes = report.items.map(item => item.code)
  const status = (['ERROR', 'WARN'] as const).find(code => codes.includes(code)) ?? 'OK'
  return { status, items: report.items.map(({ type, code, message }) => ({ type, code, message })) }
}

const isReport = (value: unknown): value is Pick<Health, 'items'> =>
  typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items)
