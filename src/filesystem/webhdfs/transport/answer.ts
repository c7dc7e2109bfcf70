import type { ByteSource } from '../../../bytes/byte-stream.ts'
import type { AnswerHead } from './answer-head.ts'

/** What a node said, with its body still to be read, or cancelled. */
export type Reply = AnswerHead & { readonly body: ByteSource }

/** A question that is on its way. */
export type Asked = {
  /** Rejects with what the socket or TLS says, or with what it was stopped with. */
  readonly answer: Promise<Reply>
  /** Ends the wait for the answer, and a body that is still expected. */
  readonly stop: (error: Error) => void
}

/** Bytes that a node announced of a body; undefined where it did not, or if it differs from what was announced. */
export const toAnnouncedLength = ({ headers }: AnswerHead): number | undefined => {
  const { 'content-length': length, 'content-encoding': encoding, 'transfer-encoding': transfer } = headers
  return length !== undefined && encoding === undefined && transfer === undefined ? Number(length) : undefined
}
