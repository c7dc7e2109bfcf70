import { BeanError } from '../../src/beans/bean-error.ts'
import type { RealtimeView } from './realtime.ts'

/** The realtime subsystem of a process that forwards nothing: all figures are zero, and it cannot be switched on. */
export const createRealtimeOff = (types: readonly string[], maxQueueSize: number): RealtimeView => {
  const refuse = (): never => {
    throw new BeanError('failed', 'Nothing can be forwarded: no broker is configured (realtime.broker)')
  }
  const figures = types.map(type => ({
    type,
    enqueued: 0,
    sent: 0,
    dropped: 0,
    errored: 0,
    queueSize: 0,
    maxQueueSize,
  }))
  return {
    isEnabled: () => false,
    ignored: () => 0,
    types: () => figures,
    enable: refuse,
    disable: () => {},
    addType: refuse,
    removeType: refuse,
  }
}
