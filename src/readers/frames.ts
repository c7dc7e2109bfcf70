/**
 * What passes between the server and a reader, both ways, over one connection of a local socket. Numbers are
 * little-endian:
 *
 *     length:4 read:4 kind:1 payload:length
 *
 * `read` is the number of an answer, given by who asks. The kinds and their payloads are those of {@link frameKinds}.
 */
import type { Writable } from 'node:stream'
import { lend } from '../bytes/slabs.ts'

/** In the order of their numbers. */
export const frameKinds = [
  /** To the reader: a `ReadRequest` as JSON. */
  'ask',
  /** To the reader: so many bytes more may be sent, 4 bytes. */
  'grant',
  /** To the reader: nobody wants the answer any more. */
  'cancel',
  /** From the reader: status and headers as JSON. */
  'head',
  /** From the reader: bytes of the body, in the granted window but for the rest of a chunk. */
  'chunk',
  /** From the reader: the answer is whole. */
  'end',
  /** From the reader: what was thrown instead, or in the middle, as of `printError`. */
  'error',
] as const
export type FrameKind = (typeof frameKinds)[number]

const headBytes = 9
const nothing = Buffer.alloc(0)

/** Writes one frame. */
export const writeFrame = (to: Writable, kind: FrameKind, read: number, payload: Uint8Array = nothing): void => {
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32LE(payload.length, 0)
  head.writeUInt32LE(read, 4)
  head.writeUInt8(frameKinds.indexOf(kind), 8)
  to.cork()
  to.write(head)
  if (payload.length > 0) to.write(payload)
  to.uncork()
}

/** Hears of a frame. A payload that is not a chunk is to be looked at before this returns. */
export type OnFrame = (kind: FrameKind, read: number, payload: Buffer) => void

/**
 * Finds frames in bytes that come in any pieces. A chunk is handed on as it comes, in several parts where it came so, and
 * lent as the bytes themselves were; all other payloads are whole.
 */
export const createFrameReader = (onFrame: OnFrame): ((bytes: Buffer) => void) => {
  const head = Buffer.alloc(headBytes)
  let headLength = 0
  /** Of the payload, not come yet. */
  let left = 0
  let parts: Buffer[] = []

  return bytes => {
    let at = 0
    while (at < bytes.length) {
      if (headLength < headBytes) {
        const taken = bytes.copy(head, headLength, at, at + headBytes - headLength)
        headLength += taken
        at += taken
        if (headLength < headBytes) return
        left = head.readUInt32LE(0)
      }
      const part = bytes.subarray(at, at + left)
      at += part.length
      left -= part.length
      const kind = frameKinds[head.readUInt8(8)]
      if (kind === 'chunk') {
        if (part.length > 0) onFrame(kind, head.readUInt32LE(4), lend(part, bytes))
      } else {
        // The next read may go where these bytes are.
        if (left > 0 || parts.length > 0) parts.push(Buffer.from(part))
        if (left > 0) return
        const payload = parts.length === 0 ? part : Buffer.concat(parts)
        parts = []
        // Both ends are of one version; a kind that is none must not look like an end.
        if (kind !== undefined) onFrame(kind, head.readUInt32LE(4), payload)
      }
      if (left === 0) headLength = 0
    }
  }
}
