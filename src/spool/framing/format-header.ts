/**
 * The version of a file of the spool, in its first frame (see `framing.ts`), so that a CRC vouches for it:
 *
 *     type 0, payload as JSON:  {"format": "ledger", "version": 2}   and what else a format says of the whole file
 *
 * Files without such a frame are of version 1, as Sluice 0.1.0 wrote them. A newer version, and a frame that is whole
 * but of a type that its format does not have, end the reading: skipping either would lose its content.
 *
 * To change a format:
 *
 * 1. A number, a name or a place on the disk keeps its meaning for good; what is new gets one that was never used.
 *    `test/unit/spool/on-disk.test.ts` has the bytes of each format.
 * 2. A new frame, entry or word raises `reads`. `writes` stays as long as a file may do without it, so that the release
 *    before opens a spool in which nothing new was used. It refuses one in which something was: by the frame, entry or
 *    word, which it does not know, or by the version in the header. A record of the log needs the latter: a segment
 *    with a new word begins with a header of the new version. (The way in of a request, `apis.ts`, is the exception: it
 *    decides nothing, and a number that is not known is read as such.)
 * 3. Another layout of what there is raises both.
 * 4. The release gets a fixture (`npm run fixture`), and a column in `docs/upgrade.md`, which says when to drain first.
 */
import { type Frame, readFrames, toFrame } from './framing.ts'
import { streamFrames } from './stream-frames.ts'

/** Frame type of a header. */
export const headerFrame = 0

type FormatFacts = {
  readonly reads: number
  readonly writes: number
  readonly frames: Readonly<Record<string, number>>
}

/**
 * The latest version of each format that this program reads, the one that it writes, and the types of frames after the
 * header.
 */
export const formats = {
  /** `format` in the spool's directory: that the directory as a whole can be read. */
  spool: { reads: 3, writes: 3, frames: {} },
  /** `destination.ts`; version 2 has the layout `iceberg`. */
  destination: { reads: 2, writes: 1, frames: { destination: 1 } },
  /** `ledger.ts`; version 3 has the entry `replaced`, version 4 `placed`, as entry and state, and `settled`. */
  ledger: { reads: 4, writes: 2, frames: { entry: 1 } },
  /** `sealed-list.ts` */
  list: { reads: 2, writes: 2, frames: { files: 1 } },
  /** `segment-format.ts`; `id` is the header of version 1, `batch` a record of versions 1 and 2. */
  segment: { reads: 4, writes: 3, frames: { id: 1, batch: 2, marked: 3 } },
  /** `keys/row-files.ts` */
  keys: { reads: 2, writes: 2, frames: { rows: 1 } },
  ids: { reads: 1, writes: 1, frames: { rows: 1 } },
  /** `parquet/schema-file.ts` */
  schemas: { reads: 3, writes: 3, frames: { schema: 1 } },
} as const satisfies Readonly<Record<string, FormatFacts>>

export type FormatName = keyof typeof formats

/** A file of the spool that another, newer version wrote. Nothing may be changed then. */
export class UnknownFormat extends Error {
  override readonly name = 'UnknownFormat'

  constructor(path: string, format: FormatName, version: number | 'unknown', found?: string) {
    super(
      `${path} has format version ${version}${found ? ` and ${found}` : ''}; this program knows the ${format} up to ` +
        `version ${formats[format].reads}. Nothing was changed: use the Sluice that wrote it, or a later one`,
    )
  }
}

/** The first frame of a new file. @param facts may have another version than the one that is written by default */
export const encodeHeader = (format: FormatName, facts: Readonly<Record<string, string | number>> = {}): Uint8Array =>
  toFrame(headerFrame, new TextEncoder().encode(JSON.stringify({ format, version: formats[format].writes, ...facts })))

/**
 * Yields the frames of the valid prefix that follow the header; returns the end of the prefix.
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

/** As {@link readFormat}, of a file in pieces: the frames that each piece completes, good until the next ones are asked for, and the file's version. */
export async function* streamFormat(
  pieces: AsyncIterable<Uint8Array>,
  path: string,
  format: FormatName,
): AsyncGenerator<{ readonly frames: readonly Frame[]; readonly version: number }, number> {
  const check = createFrameCheck(path, format)
  const stream = streamFrames(pieces)
  let version = 1
  for (let next = await stream.next(); ; next = await stream.next()) {
    if (next.done) return next.value
    const frames = [...next.value]
    const [first] = frames
    if (first?.start === 0) version = versionOf(first, path, format)
    yield { frames: frames.filter(check), version }
  }
}

/** Distinguishes frames after the header from the header, frame by frame from the start. @throws UnknownFormat */
const createFrameCheck = (path: string, format: FormatName): ((frame: Frame) => boolean) => {
  const known: readonly number[] = Object.values(formats[format].frames)
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
export const versionOf = (
  { type, payload }: Pick<Frame, 'type' | 'payload'>,
  path: string,
  format: FormatName,
): number => {
  if (type !== headerFrame) return 1
  const header = parseHeader(payload)
  const version = header['version']
  if (header['format'] !== format || typeof version !== 'number')
    throw new UnknownFormat(path, format, 'unknown', `the header ${JSON.stringify(header).slice(0, 200)}`)
  if (version > formats[format].reads) throw new UnknownFormat(path, format, version)
  return version
}

/** The members of a header; none where it is not an object of JSON. */
export const parseHeader = (payload: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(payload))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
