/**
 * A connection whose bytes go through a layer of SASL: whatever is sent, in messages of at most 64 KB (each a step), in frames
 *
 *     length (4 bytes)   wrapped message, or what it is carried in
 */
import { FormatError } from '../../../errors.ts'
import type { Protection } from '../socket/protection.ts'
import { maxWrappedBytes } from './digest-md5.ts'
import { type SecurityLayer, wrapBytes } from './security-layer.ts'

/** The bytes between frame and wrapped message. */
export type Carrier = {
  readonly pack: (wrapped: Buffer) => Buffer
  /** @throws FormatError it is not what carries one */
  readonly unpack: (frame: Buffer) => Uint8Array
}

const bare: Carrier = { pack: wrapped => wrapped, unpack: frame => frame }
const lengthBytes = 4
const maxMessageBytes = maxWrappedBytes - wrapBytes

/** @param maxFrameBytes of what arrives: Java keeps to no `maxbuf` */
export const sealedFrames = (layer: SecurityLayer, maxFrameBytes: number, carrier: Carrier = bare): Protection => {
  const intake = createFrameIntake(maxFrameBytes)
  const messageBytes = Math.min(layer.stepBytes, maxMessageBytes)
  return {
    *seal(parts) {
      const message = Buffer.concat(parts)
      for (let at = 0; at < message.length; at += messageBytes) {
        const one = carrier.pack(layer.wrap(message.subarray(at, at + messageBytes)))
        const length = Buffer.alloc(lengthBytes)
        length.writeUInt32BE(one.length)
        yield Buffer.concat([length, one])
      }
    },
    *open(bytes) {
      for (const frame of intake(bytes)) yield yield* layer.unwrapInSteps(carrier.unpack(frame))
    },
  }
}

/** Cuts what arrives into frames. Those of one call stay as long as its bytes do. */
const createFrameIntake = (maxFrameBytes: number): ((bytes: Buffer) => readonly Buffer[]) => {
  /** A length, or a frame, as far as it has arrived: memory grows with it, whatever was announced. */
  let part = Buffer.alloc(0)
  let partBytes = 0
  let wanted = lengthBytes
  let isLength = true
  let before = 0

  const take = (bytes: Buffer, at: number): Buffer | undefined => {
    const lacking = wanted - partBytes
    if (partBytes === 0 && bytes.length - at >= lacking) return bytes.subarray(at, at + lacking)
    const end = Math.min(partBytes + bytes.length - at, wanted)
    if (part.length < end) {
      const larger = Buffer.allocUnsafeSlow(Math.min(wanted, Math.max(end, 2 * part.length)))
      part.copy(larger, 0, 0, partBytes)
      part = larger
    }
    partBytes += bytes.copy(part, partBytes, at, at + end - partBytes)
    return partBytes < wanted ? undefined : part.subarray(0, wanted)
  }

  return bytes => {
    const frames: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      const start = at
      const held = partBytes
      const whole = take(bytes, at)
      at += (whole ? wanted : partBytes) - held
      if (whole === undefined) break
      part = Buffer.alloc(0)
      partBytes = 0
      if (!isLength) frames.push(whole)
      // Nothing is in a message without bytes, nor is it counted.
      const length = isLength ? whole.readUInt32BE() : 0
      if (length > maxFrameBytes) throw new FormatError('SASL', before + start, `a frame of ${length} bytes`)
      isLength = length === 0
      wanted = isLength ? lengthBytes : length
    }
    before += bytes.length
    return frames
  }
}
