import { startInterval } from '../../../runtime/timers.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import type { NameNode } from '../name-node/name-node.ts'

/** The lease of one client on the files that it writes. */
export type Lease = {
  /** Keeps it until the returned function is called. */
  hold(): () => void
}

/** After a minute without this others may take files over (`HdfsConstants.LEASE_SOFTLIMIT_PERIOD`). */
const renewMs = 20_000

/** Renews the lease for as long as somebody holds it. */
export const createLease = (nameNode: NameNode, clientName: string): Lease => {
  let holders = 0
  let timer: NodeJS.Timeout | undefined
  const renew = (): void => {
    // The next one is soon enough.
    nameNode
      .call(nameNodeMethods.renewLease, { clientName }, { action: 'renew the lease on', path: '/' })
      .catch(() => {})
  }
  return {
    hold: () => {
      holders++
      timer ??= startInterval(renew, renewMs)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        holders--
        if (holders > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
