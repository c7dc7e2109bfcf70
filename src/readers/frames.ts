/**
 * What passes between the server and a reader, both ways, over one connection of a local socket. Numbers are
 * little-endian:
 *
 *     length:4 read:4 kind:1 payload:length
 *
 * `read` is the number of an answer, given by who asks. The kinds and their payloads are those of {@link kindCodes}.
 */
import type { Writable } from 'node:stream'
import { lend } from '../bytes/slabs.ts'

/** The number of each kind. Both ends are of one version, so that a number may change with it, but not by moving a line. */
const kindCodes = {
  /** To the reader: a `ReadRequest` as JSON. */
  ask: 0,
  /** To the reader: this many more bytes may be sent, 4 bytes. */
  grant: 1,
  /** To the reader: the answer is not wanted any more. */
  cancel: 2,
  /** From the reader: status and headers as JSON. */
  head: 3,
  /** From the reader: bytes of the body, within the granted window except for the rest of a chunk. */
  chunk: 4,
  /** From the reader: the answer is whole. */
  end: 5,
  /** From the reader: what was thrown instead, or in the middle, as of `printError`. */
  error: 6,
  /** From the reader, before the answer begins: the name of a file as it is now, which it rather does not read beside others. */
  suspect: 7,
  /** To the reader: the file that it suspects was read before, and may be read. */
  trust: 8,
} as const
export type FrameKind = keyof typeof kindCodes

export const frameKinds = Object.keys(kindCodes) as readonly FrameKind[]

/** By their numbers. */
const kinds: FrameKind[] = []
for (const kind of frameKinds) kinds[kindCodes[kind]] = kind

const headBytes = 9
const nothing = Buffer.alloc(0)

/** Writes one frame. */
export const writeFrame = (to: Writable, kind: FrameKind, read: number, payload: Uint8Array = nothing): void => {
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32LE(payload.length, 0)
  head.writeUInt32LE(read, 4)
  head.writeUInt8(kindCodes[kind], 8)
  to.cork()
  to.write(head)
  if (payload.length > 0) to.write(payload)
  to.uncork()
}

/** Hears of a frame. A payload that is not a chunk is to be looked at before this returns. */
export type OnFrame = (kind: FrameKind, read: number, payload: Buffer) => void

/**
 * Finds frames in bytes that arrive in any pieces. A chunk is passed on as it arrives, possibly in several parts, and
 * lent as the bytes themselves were; all other payloads are whole.
 */
export const createFrameReader = (onFrame: OnFrame): ((bytes: Buffer) => void) => {
  const head = Buffer.alloc(headBytes)
  let headLength = 0
  /** Of the payload, not arrived yet. */
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
      const kind = kinds[head.readUInt8(8)]
      if (kind === 'chunk') {
        if (part.length > 0) onFrame(kind, head.readUInt32LE(4), lend(part, bytes))
      } else {
        // The next read may go where these bytes are.
        if (left > 0 || parts.length > 0) parts.push(Buffer.from(part))
        if (left > 0) return
        const payload = parts.length === 0 ? part : Buffer.concat(parts)
        parts = []
        // Both ends are of one version; an invalid kind must not look like an end.
        if (kind !== undefined) onFrame(kind, head.readUInt32LE(4), payload)
      }
      if (left === 0) headLength = 0
    }
  }
}
