/**
 * A connection whose bytes go through a layer of SASL: whatever is sent, in messages of at most 64 KB, each in a frame
 *
 *     length (4 bytes)   wrapped message, or what it is carried in
 */
import { FormatError } from '../../../errors.ts'
import type { Protection } from '../socket/protection.ts'
import { maxWrappedBytes } from './digest-md5.ts'
import { type SecurityLayer, wrapBytes } from './security-layer.ts'

/** What stands between frame and wrapped message. */
export type Carrier = {
  readonly pack: (wrapped: Buffer) => Buffer
  /** @throws FormatError it is not what carries one */
  readonly unpack: (frame: Buffer) => Uint8Array
}

const bare: Carrier = { pack: wrapped => wrapped, unpack: frame => frame }
const lengthBytes = 4

/** @param maxFrameBytes of what arrives: Java keeps to no `maxbuf` */
export const sealedFrames = (layer: SecurityLayer, maxFrameBytes: number, carrier: Carrier = bare): Protection => {
  const head = Buffer.alloc(lengthBytes)
  let headBytes = 0
  let frame: Buffer | undefined
  let frameBytes = 0
  /** Bytes that arrived before the ones at hand. */
  let before = 0

  /** Takes as much as the frame lacks. @returns how much that is */
  const fill = (bytes: Buffer, at: number): number => {
    if (frame === undefined) {
      const taken = bytes.copy(head, headBytes, at)
      headBytes += taken
      if (headBytes < lengthBytes) return taken
      const length = head.readUInt32BE()
      if (length > maxFrameBytes) throw new FormatError('SASL', before + at, `a frame of ${length} bytes`)
      headBytes = 0
      frameBytes = 0
      // Nothing is in a message without bytes, nor is it counted.
      frame = length === 0 ? undefined : Buffer.allocUnsafeSlow(length)
      return taken
    }
    const taken = bytes.copy(frame, frameBytes, at)
    frameBytes += taken
    return taken
  }

  return {
    seal: parts => {
      const message = Buffer.concat(parts)
      const sealed: Buffer[] = []
      for (let at = 0; at < message.length; at += maxWrappedBytes - wrapBytes) {
        const one = carrier.pack(layer.wrap(message.subarray(at, at + maxWrappedBytes - wrapBytes)))
        const length = Buffer.alloc(lengthBytes)
        length.writeUInt32BE(one.length)
        sealed.push(length, one)
      }
      return sealed
    },
    open: bytes => {
      const opened: Buffer[] = []
      for (let at = 0; at < bytes.length; ) {
        at += fill(bytes, at)
        if (frame === undefined || frameBytes < frame.length) continue
        opened.push(layer.unwrap(carrier.unpack(frame)))
        frame = undefined
      }
      before += bytes.length
      return opened
    },
  }
}
