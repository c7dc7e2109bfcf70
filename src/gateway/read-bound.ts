import type { GatewayFigures } from '../beans/gateway-figures.ts'
import { SluiceError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import type { GatewayContext } from './context.ts'

/** The part of a context that hears of the ends of bodies. */
type Bodies = Pick<GatewayContext, 'toBodyOptions'>

/**
 * Runs a read, and counts it until the last byte of its answer was handed on, or its client is gone: until then it holds
 * buffers, files and connections.
 * @throws SluiceError `overloaded` where too many go on already
 */
export type ReadBound = (
  call: Pick<Call, 'signal'>,
  run: (watched: (bodies: Bodies) => Bodies) => Response | Promise<Response>,
) => Promise<Response>

/** Makes the bound on reads at a time. An answer that is whole when it is made counts no longer. */
export const createReadBound =
  ({ figures, maxReads }: { readonly figures: GatewayFigures; readonly maxReads: number }): ReadBound =>
  async (call, run) => {
    if (figures.reads.now >= maxReads) {
      figures.reads.refused++
      throw new SluiceError('overloaded', `${maxReads} reads go on already (gateway.max-reads)`)
    }
    const end = figures.startRead()
    let isStreamed = false
    const watched = ({ toBodyOptions }: Bodies): Bodies => ({
      toBodyOptions: (of, stop) => {
        isStreamed = true
        const options = toBodyOptions(of, stop)
        return {
          ...options,
          onEnd: how => {
            end()
            options.onEnd?.(how)
          },
        }
      },
    })
    call.signal.addEventListener('abort', end, { once: true })
    try {
      const response = await run(watched)
      if (!isStreamed || call.signal.aborted) end()
      return response
    } catch (error) {
      end()
      throw error
    }
  }
