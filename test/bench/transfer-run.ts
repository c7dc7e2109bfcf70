import { join } from 'node:path'
import type { MeasureOptions } from './measure.ts'
import { runToEnd } from './process.ts'
import type { TransferOptions, TransferResult } from './transfer.ts'

const timeoutMs = 3_600_000

/** Runs `transfer.ts` in a process of its own, on the core of the load. */
export const transfer = async (
  { directory: cwd }: MeasureOptions,
  options: Omit<TransferOptions, 'method' | 'requests'> & Partial<TransferOptions>,
): Promise<TransferResult> => {
  const args = [JSON.stringify({ method: 'GET', requests: 1, ...options })]
  const script = { script: join(import.meta.dirname, 'transfer.ts'), args, core: 'load', cwd } as const
  return (await runToEnd(script, timeoutMs)) as TransferResult
}

/** An address with its query. */
export const toUrl = (base: string, path: string, query: Readonly<Record<string, string>>): string =>
  `${base}${path}?${new URLSearchParams(query).toString()}`
