/** G7: Smile files of events, as the gateway reads them, against `JSON.parse` of the same events; no server. */
import { join } from 'node:path'
import type { DecodeOptions, DecodeResult } from '../decode.ts'
import type { Sample } from '../measure.ts'
import { runToEnd } from '../process.ts'
import type { OpenTrial } from '../trial.ts'

const maxOverheadMs = 60_000

export const openDecode: OpenTrial = async ({ directory: cwd, durationMs }) => {
  const run = async (kind: DecodeOptions['kind']): Promise<Sample> => {
    const args = [JSON.stringify({ kind, durationMs } satisfies DecodeOptions)]
    const script = { script: join(import.meta.dirname, '../decode.ts'), args, core: 'server', cwd } as const
    const result = (await runToEnd(script, durationMs + maxOverheadMs)) as DecodeResult
    return { ...result, rate: result.eventsPerSecond }
  }
  return { sluice: () => run('smile'), baseline: () => run('json'), close: async () => {} }
}
