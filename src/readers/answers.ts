import { type Answer, createAnswer, type ReaderAnswer } from './answer.ts'
import type { FrameKind, OnFrame } from './frames.ts'
import { Suspected } from './reader-errors.ts'
import type { ReadRequest } from './wire.ts'

/** The answers of one reader that are under way, by their numbers. */
export type Answers = {
  /** Asks for one, and waits until it begins. @throws Suspected; what the reader throws; the error of {@link failAll} */
  ask(request: ReadRequest, signal: AbortSignal, onOver: () => void): Promise<ReaderAnswer>
  /** Gives a frame to its answer. */
  readonly onFrame: OnFrame
  /** Nothing more will arrive for any of them. */
  failAll(error: Error): void
}

/** Sends a frame to the reader, as long as there is one. */
export type SendFrame = (kind: FrameKind, read: number, payload?: Uint8Array) => void

/** @param isTried whether a file that the reader suspects was read apart before */
export const createAnswers = (send: SendFrame, isTried: (version: string) => boolean): Answers => {
  const answers = new Map<number, Answer>()
  let lastRead = 0

  const onSuspect = (read: number, version: string): void => {
    const mayGoOn = isTried(version)
    send(mayGoOn ? 'trust' : 'cancel', read)
    if (!mayGoOn) answers.get(read)?.fail(new Suspected(version))
  }
  return {
    ask: (request, signal, onOver) => {
      const read = ++lastRead
      const cancel = (): void => send('cancel', read)
      const abort = (): void => {
        cancel()
        answer.fail(signal.reason)
      }
      const answer = createAnswer({
        grant: bytes => {
          const payload = Buffer.allocUnsafe(4)
          payload.writeUInt32LE(bytes)
          send('grant', read, payload)
        },
        cancel,
        onOver: () => {
          answers.delete(read)
          signal.removeEventListener('abort', abort)
          onOver()
        },
      })
      answers.set(read, answer)
      signal.addEventListener('abort', abort)
      send('ask', read, Buffer.from(JSON.stringify(request)))
      return answer.begun
    },
    onFrame: (kind, read, payload) => {
      if (kind === 'suspect') onSuspect(read, payload.toString())
      else answers.get(read)?.onFrame(kind, payload)
    },
    failAll: error => {
      for (const answer of answers.values()) answer.fail(error)
    },
  }
}
