import { collectorBombs } from './collector-bombs.ts'
import { gatewayBombs } from './gateway-bombs.ts'
import { managementBombs } from './management-bombs.ts'

/** A request that costs more than it should, if it is let. */
export type RequestBomb = {
  readonly name: string
  /** Method and target, of the management listener when it begins with `admin`. */
  readonly to: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: () => Uint8Array
  /** The answer's status, and something of its body. */
  readonly want: number
  readonly says: RegExp
}

/** Settings under which the bombs are larger than allowed without being large. */
export const smallLimits = [
  'collector.max-body-bytes=4MiB',
  'collector.max-decompressed-bytes=16MiB',
  'collector.max-inflight-bytes=64MiB',
  'collector.max-events-per-request=10000',
] as const

/** One row per bomb, by the part that it is for. */
export const requestBombs = { collector: collectorBombs, management: managementBombs, gateway: gatewayBombs } as const
