import { CliError } from './failure.ts'
import type { Gateway } from './gateway.ts'

/** The health report, and the worst of its codes. */
export type Health = {
  readonly status: 'OK' | 'WARN' | 'ERROR'
  readonly items: readonly { readonly type: string; readonly code: 'OK' | 'WARN' | 'ERROR'; readonly message: string }[]
}

/** Reads the report; it comes with 503 as well when a part is in ERROR. */
export const readHealth = async ({ client }: Gateway): Promise<Health> => {
  const { data, error, response } = await client.GET('/1.0/healthcheck')
  const report: unknown = data ?? error
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
