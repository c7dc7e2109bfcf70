import { parseHeader, UnknownFormat, versionOf } from '../framing/format-header.ts'
import { type Frame, frameAt, frameHeaderBytes, toFrame } from '../framing/framing.ts'
import { frameType, markBytes } from './segment-format.ts'

/** How a segment is read, by its header. */
export type SegmentLayout = {
  readonly path: string
  readonly version: number
  /** @default none: versions 1 and 2 */
  readonly mark?: Uint8Array
  /** Both copies of the header, from version 3 on. */
  readonly header: Uint8Array
  /** Where its records begin. */
  readonly start: number
}

const noHeader = new Uint8Array()

/** How a segment is read, by its beginning. @throws UnknownFormat */
export const layoutOf = (bytes: Uint8Array, path: string): SegmentLayout => {
  const header = frameAt(bytes, 0) ?? findTwin(bytes)
  return header ? layoutByFrame(header, path) : { path, version: 1, start: 0, header: noHeader }
}

/** Whether each record follows the mark of a header in these bytes. @throws UnknownFormat */
export const isMarked = (bytes: Uint8Array, path: string): boolean => layoutOf(bytes, path).mark !== undefined

/** By the first frame of a segment, or the copy of it. */
export const layoutByFrame = (frame: Frame, path: string): SegmentLayout => {
  const { type, payload, end } = frame
  const version = versionOf(frame, path, 'segment')
  if (version < 3) return { path, version, start: type === frameType.batch ? 0 : end, header: noHeader }
  const mark = Buffer.from(String(parseHeader(payload)['mark']), 'hex')
  if (mark.length !== markBytes) throw new UnknownFormat(path, 'segment', version, 'no mark')
  const copy = toFrame(type, payload)
  return { path, version, mark, start: 2 * copy.length, header: Buffer.concat([copy, copy]) }
}

/** Whether both copies of the header are as they were written. @throws UnknownFormat */
export const isHeaderWhole = (bytes: Uint8Array, path: string): boolean => {
  const { header } = layoutOf(bytes, path)
  return Buffer.compare(header, bytes.subarray(0, header.length)) === 0
}

/** Headers have some 150 bytes. */
const maxHeaderBytes = 512

/** As many bytes of a header may be damaged. */
const maxTwinDifference = 8

/** The second copy of the header, if the first is damaged; it must be nearly the same as the bytes of the first. */
const findTwin = (bytes: Uint8Array): Frame | undefined => {
  for (let at = frameHeaderBytes; at <= maxHeaderBytes; at++) {
    const frame = frameAt(bytes, at)
    if (frame?.end !== 2 * at) continue
    let difference = 0
    for (let i = 0; i < at; i++) if (bytes[i] !== bytes[at + i]) difference++
    if (difference <= maxTwinDifference) return frame
  }
  return undefined
}
