/**
 * The writer of a journal. Changes are gathered while an object is being written; the next object has them all.
 *
 * One object is on its way at a time, so a group is confirmed only after all groups before it. While the outcome of a write
 * is unknown the same bytes are sent again before anything else: no other bytes ever get its number. An object of other bytes
 * at that number is a claim, and fences this writer for good.
 */
import { refusal } from '../cluster/steps.ts'
import type { FileSystemError } from '../filesystem.ts'
import type { JournalFiles } from './files.ts'
import { encodeGroup, type Group, type JournalChange } from './frame.ts'
import type { JournalObjects } from './objects.ts'
import { createSweeper } from './sweep.ts'

export type JournalWriter = {
  /** As the journal has them. */
  readonly files: JournalFiles
  /**
   * Resolves when the changes, and all that were requested before them, are in the journal. `payload` is what they append; the
   * caller does not change it. Rejects with `unavailable` while the outcome is unknown, and with `not-found` once another
   * process has the log.
   */
  write(changes: readonly JournalChange[], payload?: readonly Uint8Array[]): Promise<void>
  /** Bytes that are not confirmed yet. */
  readonly waitingBytes: number
  /** Whether another process has the log. */
  readonly isFenced: boolean
  /** Checks that no other process has the log. Rejects as {@link JournalWriter.write}. */
  verify(): Promise<void>
  /** Resolves when no write is on its way; later ones are refused. */
  close(): Promise<void>
}

export type JournalWriterOptions = {
  readonly objects: JournalObjects
  readonly files: JournalFiles
  readonly claim: Pick<Group, 'keeper' | 'session' | 'since'>
  /** The number of the claim. */
  readonly head: number
  /** Waits before a group is sent, while changes are gathered. */
  readonly gather: () => Promise<unknown>
  /** Groups between two checkpoints; a reader needs the header of each. @default 500 */
  readonly groupsPerCheckpoint?: number | undefined
}

/** Payload of a group of several changes. */
const maxGroupBytes = 4 * 2 ** 20

type Waiting = {
  readonly changes: readonly JournalChange[]
  readonly payload: readonly Uint8Array[]
  readonly bytes: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

type Sent = { readonly group: Group; readonly bytes: Buffer<ArrayBuffer>; readonly start: number }

const appendedIn = ({ changes }: Pick<Waiting, 'changes'>): readonly number[] =>
  changes.flatMap(change => (change.do === 'append' ? [change.file] : []))

export const createJournalWriter = (options: JournalWriterOptions): JournalWriter => {
  const { objects, files, claim, gather, groupsPerCheckpoint = 500 } = options
  let { head } = options
  let { since } = claim
  let fenced: FileSystemError | undefined
  let isClosed = false
  const queue: Waiting[] = []
  let waitingBytes = 0
  /** Files of which appended bytes may be missing. */
  const broken = new Set<number>()
  /** The write with an unknown outcome, or the one on its way. */
  let unsettled: Sent | undefined
  let onItsWay: Promise<void> | undefined
  let running: Promise<void> | undefined
  const sweeper = createSweeper(objects)

  const fence = (): FileSystemError => {
    const path = objects.pathOf(head + 1)
    fenced ??= refusal('not-found', path, 'write', 'another process has taken the log')
    return fenced
  }

  const send = async (sent: Sent): Promise<void> => {
    unsettled = sent
    if ((await objects.put(head + 1, sent.bytes)) === 'foreign') throw fence()
    unsettled = undefined
    head++
    const { changes, image } = sent.group
    // A checkpoint changes no file.
    if (image) since = head
    else files.apply(changes, head, sent.start)
  }
  const put = (sent: Sent): Promise<void> => {
    const sending = send(sent).finally(() => {
      if (onItsWay === sending) onItsWay = undefined
    })
    onItsWay = sending
    return sending
  }

  const toSent = (changes: readonly JournalChange[], payload: readonly Uint8Array[]): Sent => {
    const group: Group = { kind: 'group', keeper: claim.keeper, session: claim.session, since, changes }
    return { group, ...encodeGroup(group, payload) }
  }

  const toCheckpoint = (): Sent => {
    const { keeper, session } = claim
    const group: Group = { kind: 'group', keeper, session, since: head + 1, changes: [], image: files.image() }
    return { group, ...encodeGroup(group, []) }
  }

  /** The changes for the next object. */
  const takeGroup = (): Waiting[] => {
    let bytes = 0
    let count = 0
    for (const one of queue) {
      bytes += one.bytes
      if (count > 0 && bytes > maxGroupBytes) break
      count++
    }
    return queue.splice(0, count)
  }

  const checkpoint = async (): Promise<void> => {
    await put(toCheckpoint())
    sweeper.sweep(since, files.needed())
  }

  const isCheckpointDue = (): boolean => {
    const behind = head - since
    return behind >= Math.max(groupsPerCheckpoint, files.places / 4)
  }

  const run = async (): Promise<void> => {
    let group: Waiting[] = []
    try {
      while (queue.length > 0) {
        if (unsettled) await put(unsettled)
        await gather()
        group = takeGroup()
        await put(
          toSent(
            group.flatMap(({ changes }) => changes),
            group.flatMap(({ payload }) => payload),
          ),
        )
        for (const one of group) settle(one)
        group = []
        if (isCheckpointDue()) await checkpoint()
      }
    } catch (error) {
      for (const one of [...group, ...queue.splice(0)]) {
        // Later bytes must not follow a gap.
        for (const file of appendedIn(one)) broken.add(file)
        settle(one, { error })
      }
    } finally {
      running = undefined
    }
  }

  const settle = ({ bytes, resolve, reject }: Waiting, failure?: { readonly error: unknown }): void => {
    waitingBytes -= bytes
    if (failure) reject(failure.error)
    else resolve()
  }

  const write: JournalWriter['write'] = (changes, payload = []) => {
    if (fenced) return Promise.reject(fenced)
    const refuse = (reason: string): Promise<never> =>
      Promise.reject(refusal('unavailable', objects.pathOf(head), 'write', reason))
    if (isClosed) return refuse('the log is closed')
    if (appendedIn({ changes }).some(file => broken.has(file))) return refuse('bytes before these may be missing')
    const bytes = payload.reduce((sum, { length }) => sum + length, 0)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    queue.push({ changes, payload, bytes, resolve, reject })
    waitingBytes += bytes
    running ??= run()
    return promise
  }

  return {
    files,
    get waitingBytes() {
      return waitingBytes
    },
    get isFenced() {
      return fenced !== undefined
    },
    write,
    verify: async () => {
      if (fenced) throw fenced
      // Its outcome tells.
      if (onItsWay) return await onItsWay
      const next = head + 1
      if (!(await objects.has(next)) || onItsWay || head >= next) return
      if (!unsettled) throw fence()
      // It may be our own write with an unknown outcome.
      await write([])
    },
    close: async () => {
      isClosed = true
      await running
      await sweeper.close()
    },
  }
}
