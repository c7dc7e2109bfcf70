import { setTimeout as wait } from 'node:timers/promises'
import { toAbortError } from '../../abortable.ts'
import { remoteOf } from '../../cluster/remote-exception.ts'
import { refusal } from '../../cluster/steps.ts'

/** How long `complete` and `addBlock` are asked until the block before has its replicas, and the waits between. */
const maxWaitMs = 60_000
const firstWaitMs = 2
const longestWaitMs = 400

/** Asks until the name node has heard of the replicas of the block before. */
export const untilReplicated = async <T>(
  { path, action }: { readonly path: string; readonly action: string },
  signal: AbortSignal | undefined,
  ask: () => Promise<T | undefined>,
): Promise<T> => {
  const deadline = performance.now() + maxWaitMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const answer = await ask().catch((error: unknown) => {
      if (remoteOf(error)?.exception !== 'NotReplicatedYetException') throw error
      return undefined
    })
    if (answer !== undefined) return answer
    if (performance.now() > deadline) {
      throw refusal('unavailable', path, action, 'the name node waits for replicas of its last block')
    }
    await wait(waitMs, undefined, signal && { signal }).catch(() => {
      if (signal) throw toAbortError(signal, path)
    })
  }
}
