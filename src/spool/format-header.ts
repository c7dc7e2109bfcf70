/**
 * The version of a file of the spool, in its first frame (see `framing.ts`), so that a CRC vouches for it:
 *
 *     type 0, payload as JSON:  {"format": "ledger", "version": 2}   and what else a format says of the whole file
 *
 * Files without such a frame are of version 1, as Sluice 0.1.0 wrote them. A newer version, and a frame that is whole
 * but of a type that its format does not have, end the reading: to skip either would lose what it stands for.
 */
import { type Frame, readFrames, streamFrames, toFrame } from './framing.ts'

/** Frame type of a header. */
export const headerFrame = 0

/** Each format's version, as this program writes it, and the types of its frames behind the header. */
const formats = {
  /** `format` in the spool's directory: that the directory as a whole can be read. */
  spool: { version: 2, frames: [] },
  /** `ledger.ts` */
  ledger: { version: 2, frames: [1] },
  /** `sealed-list.ts` */
  list: { version: 2, frames: [1] },
  /** `record.ts`; 1 is the header of version 1, the collector's id and the number of the segment as text. */
  segment: { version: 2, frames: [1, 2] },
  /** `keys/key-files.ts` */
  keys: { version: 2, frames: [1] },
  /** `parquet/schema-file.ts` */
  schemas: { version: 2, frames: [1] },
} as const satisfies Record<string, { readonly version: number; readonly frames: readonly number[] }>

export type FormatName = keyof typeof formats

/** A file of the spool that another, newer version wrote. Nothing may be changed then. */
export class UnknownFormat extends Error {
  override readonly name = 'UnknownFormat'

  constructor(path: string, format: FormatName, version: number | 'unknown', found?: string) {
    super(
      `${path} has format version ${version}${found ? ` and ${found}` : ''}; this program knows the ${format} up to ` +
        `version ${formats[format].version}. Nothing was changed: use the Sluice that wrote it, or a later one`,
    )
  }
}

/** The first frame of a new file. */
export const encodeHeader = (format: FormatName, facts: Readonly<Record<string, string | number>> = {}): Uint8Array =>
  toFrame(headerFrame, new TextEncoder().encode(JSON.stringify({ format, version: formats[format].version, ...facts })))

/**
 * Yields the frames of the valid prefix that stand behind the header; the return value is where the prefix ends.
 * @param path for people, below the spool's directory
 * @throws UnknownFormat at a header or a frame that only another version understands
 */
export function* readFormat(bytes: Uint8Array, path: string, format: FormatName): Generator<Frame, number> {
  const check = createFrameCheck(path, format)
  const frames = readFrames(bytes)
  for (let next = frames.next(); ; next = frames.next()) {
    if (next.done) return next.value
    if (check(next.value)) yield next.value
  }
}

/** As {@link readFormat}, of a file in pieces: the frames that each piece completes, and the file's version. */
export async function* streamFormat(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
  format: FormatName,
): AsyncGenerator<{ readonly frames: readonly Frame[]; readonly version: number }, number> {
  const check = createFrameCheck(path, format)
  const frames = streamFrames(pieces)
  let version = 1
  for (let next = await frames.next(); ; next = await frames.next()) {
    if (next.done) return next.value
    const first = next.value[0]
    if (first?.start === 0) version = versionOf(first, path, format)
    yield { frames: next.value.filter(check), version }
  }
}

/** Tells frames behind the header from the header, frame by frame from the start. @throws UnknownFormat */
const createFrameCheck = (path: string, format: FormatName): ((frame: Frame) => boolean) => {
  const known: readonly number[] = formats[format].frames
  let version = 1
  return frame => {
    const { type, start } = frame
    if (start === 0) version = versionOf(frame, path, format)
    if (known.includes(type)) return true
    if (type === headerFrame && start === 0) return false
    throw new UnknownFormat(path, format, version, `a frame of the unknown type ${type} at byte ${start}`)
  }
}

/** The version of a file by its first frame; 1 where that is not a header. @throws UnknownFormat when it is a newer one */
const versionOf = ({ type, payload }: Frame, path: string, format: FormatName): number => {
  if (type !== headerFrame) return 1
  const header = parseHeader(payload)
  const version = header['version']
  if (header['format'] !== format || typeof version !== 'number')
    throw new UnknownFormat(path, format, 'unknown', `the header ${JSON.stringify(header).slice(0, 200)}`)
  if (version > formats[format].version) throw new UnknownFormat(path, format, version)
  return version
}

const parseHeader = (payload: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(payload))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
