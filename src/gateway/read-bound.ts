import type { Current } from '../current.ts'
import { SluiceError } from '../errors.ts'
import type { Call } from '../http/call/call.ts'
import type { ToBodyOptions } from './context.ts'
import type { GatewayFigures } from './figures.ts'

/**
 * Runs a read, and counts it until the last byte of its answer was sent, or its client left: until then it holds
 * buffers, files and connections.
 * @throws SluiceError `overloaded` if too many are active already, or too many of this caller
 */
export type ReadBound = (
  call: Pick<Call, 'signal' | 'caller' | 'peer'>,
  run: (watched: (toBodyOptions: ToBodyOptions) => ToBodyOptions) => Response | Promise<Response>,
) => Promise<Response>

/**
 * A caller may have this many times what is still free: eight ninths of all reads if it is alone, and fewer with each
 * further caller, without a list of quotas. So a caller without reads always gets one.
 */
const shareOfFree = 8

/** Makes the bound on reads at a time. An answer that is whole when it is made counts no longer. */
export const createReadBound = (options: {
  readonly figures: GatewayFigures
  readonly maxReads: Current<number>
}): ReadBound => {
  const { figures } = options
  const ofCaller = new Map<string, number>()
  const start = (caller: string): (() => void) => {
    const own = ofCaller.get(caller) ?? 0
    const maxReads = options.maxReads()
    if (own >= shareOfFree * (maxReads - figures.reads.now)) {
      figures.reads.refused++
      const whose = own < figures.reads.now ? `, ${own} of them yours` : ''
      const message = `${figures.reads.now} of at most ${maxReads} reads are in progress${whose} (gateway.max-reads); retry later`
      throw new SluiceError('overloaded', message)
    }
    const endRead = figures.startRead()
    ofCaller.set(caller, own + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      endRead()
      const left = (ofCaller.get(caller) ?? 1) - 1
      if (left > 0) ofCaller.set(caller, left)
      else ofCaller.delete(caller)
    }
  }
  return async (call, run) => {
    const end = start(toCallerKey(call))
    let isStreamed = false
    const watched =
      (toBodyOptions: ToBodyOptions): ToBodyOptions =>
      (of, stop) => {
        isStreamed = true
        const options = toBodyOptions(of, stop)
        return {
          ...options,
          onEnd: how => {
            end()
            options.onEnd?.(how)
          },
        }
      }
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
}

/** Without authentication the address is the best known identity of a caller. */
const toCallerKey = ({ caller, peer }: Pick<Call, 'caller' | 'peer'>): string =>
  caller === undefined || caller.isClaimed ? `@${peer}` : caller.name
