import { setTimeout as wait } from 'node:timers/promises'
import { throwIfAborted } from '../../abortable.ts'
import { refusal } from '../../cluster/steps.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import type { WriteTransfer } from './unfinished-file.ts'

/** How long data nodes may take to cut its last block, and how often the name node is asked whether they have. */
const maxWaitMs = 60_000
const waitMs = 50

/** Cuts a file; where its last block is cut in the middle that is done by data nodes, and waited for. */
export const truncateFile = async (
  { nameNode, leases }: WriteTransfer,
  path: string,
  length: number,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const about = { action: 'truncate', path, signal }
  const lease = leases.begin()
  try {
    const request = { src: path, newLength: length, clientName: lease.clientName }
    const { result } = await nameNode.call(nameNodeMethods.truncate, request, about)
    if (result) return
    for (const deadline = performance.now() + maxWaitMs; performance.now() < deadline; ) {
      const closed = await nameNode.call(nameNodeMethods.isFileClosed, { src: path }, about)
      if (closed.result) return
      await wait(waitMs, undefined, signal && { signal }).catch(() => throwIfAborted(signal, path))
    }
    throw refusal('unavailable', path, 'truncate', 'its data nodes have not cut its last block')
  } finally {
    lease.end()
  }
}
