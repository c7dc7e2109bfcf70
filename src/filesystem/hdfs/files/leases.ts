import { startInterval } from '../../../runtime/timers.ts'
import { remoteOf } from '../../cluster/remote-exception.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import type { NameNode } from '../name-node/name-node.ts'

/** Gives each file that is written a lease of its own: one that is given up is not renewed with the others. */
export type Leases = { begin(): Lease }

/** The right to write one file. */
export type Lease = {
  /** Whose it is. */
  readonly clientName: string
  /** It is renewed no more; the name node ends what was not completed when it runs out. */
  end(): void
}

/** Whether a file has another owner by now, or is gone: its lease was taken, or ran out. */
export const isLostLease = (error: unknown): boolean => remoteOf(error)?.exception === 'LeaseExpiredException'

/** After a minute without this others may take a file over (`HdfsConstants.LEASE_SOFTLIMIT_PERIOD`). */
const renewMs = 20_000

/** @param clientName what the names of its leases begin with */
export const createLeases = (nameNode: NameNode, clientName: string): Leases => {
  let count = 0
  return {
    begin: () => {
      const name = `${clientName}-${count++}`
      const renew = (): void => {
        // The next one is soon enough.
        nameNode
          .call(nameNodeMethods.renewLease, { clientName: name }, { action: 'renew the lease on', path: '/' })
          .catch(() => {})
      }
      const timer = startInterval(renew, renewMs)
      return { clientName: name, end: () => clearInterval(timer) }
    },
  }
}
