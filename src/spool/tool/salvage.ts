import { apis, bodyFormats } from '../batch.ts'
import { type Frame, frameHeaderBytes, readFrames } from '../framing.ts'
import { decodeBatch, frameType, type KeptBatch } from '../record.ts'

/** A batch found in damaged bytes, and where. */
export type SalvagedBatch = { readonly batch: KeptBatch; readonly start: number; readonly end: number }

/** A search may look at this many times the bytes, with their checksums: forged headers must not make it quadratic. */
const maxWork = 16

/**
 * Batches in bytes that are damaged somewhere: behind each place that cannot be read, the next frame with a fitting
 * CRC is looked for. Only what a frame's checksum vouches for is given.
 */
export function* salvageBatches(bytes: Uint8Array): Generator<SalvagedBatch, void, undefined> {
  const work = { left: maxWork * bytes.length }
  for (let at = 0; at < bytes.length; at = findFrame(bytes, at + 1, work)) {
    const frames = readFrames(bytes.subarray(at))
    let next = frames.next()
    for (; !next.done; next = frames.next()) {
      const batch = toBatch(next.value)
      if (batch) yield { batch, start: at + next.value.start, end: at + next.value.end }
    }
    at += next.value
  }
}

const toBatch = (frame: Frame): KeptBatch | undefined => {
  if (frame.type !== frameType.batch) return undefined
  try {
    return decodeBatch(frame.payload)
  } catch {
    return undefined
  }
}

/** Where a batch frame may begin; cheap tests come first, so that few places cost a CRC. */
const findFrame = (bytes: Uint8Array, from: number, work: { left: number }): number => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const last = bytes.length - frameHeaderBytes - 10
  for (let at = from; at <= last; at++) {
    if (bytes[at + 8] !== frameType.batch) continue
    if (at + 8 + view.getUint32(at) > bytes.length) continue
    const payload = at + frameHeaderBytes
    if ((bytes[payload + 8] ?? 255) >= apis.length || (bytes[payload + 9] ?? 255) >= bodyFormats.length) continue
    const keptAt = view.getFloat64(payload)
    if (!Number.isInteger(keptAt) || keptAt < 0) continue
    work.left -= view.getUint32(at)
    if (work.left < 0) break
    if (!readFrames(bytes.subarray(at)).next().done) return at
  }
  return bytes.length
}
