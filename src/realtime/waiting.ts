/**
 * Batches that wait for a broker, as bytes in chunks: as objects they would be copied by one collection of the heap
 * after the other, and requests wait for those. An entry of a chunk, numbers big-endian:
 *
 *     u32      length of what follows
 *     u32      number of events, each: u32 its lane, as an index into the lanes of the chunk
 *     u32      length of the trace of its request, and that in ASCII; 0 without a trace
 *     …        the batch, as in spool/record.ts
 */
import { decodeBatch, encodeBatch, type RecordBatch } from '../spool/segment/record.ts'
import type { TypeLane } from './type-lane.ts'

/** A kept batch with the events of it that have a place in a lane. */
export type WaitingBatch = {
  /** Its `events` are only those. */
  readonly batch: RecordBatch
  /** The lane of each event. */
  readonly lanes: readonly TypeLane[]
  /** Of the request. */
  readonly traceparent?: string | undefined
}

/** Of a chunk; a larger entry has one of its own. */
const chunkBytes = 1 << 18

type Chunk = {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly lanes: TypeLane[]
  readonly indexes: Map<TypeLane, number>
  /** Where the first entry begins, and where the last one ends. */
  start: number
  end: number
}

/** A queue of batches. */
export type Waiting = {
  readonly length: number
  /** Copies the batch, without its idempotency key. */
  push(entry: WaitingBatch): void
  /** Removes the oldest; undefined when nothing waits. */
  shift(): WaitingBatch | undefined
}

/** Empty. */
export const createWaiting = (): Waiting => {
  const chunks: Chunk[] = []
  let length = 0

  const withRoom = (bytes: number): Chunk => {
    const last = chunks.at(-1)
    if (last && last.bytes.length - last.end >= bytes) return last
    const chunk = createChunk(Math.max(bytes, chunkBytes))
    chunks.push(chunk)
    return chunk
  }
  return {
    get length() {
      return length
    },
    push: ({ batch: { api, format, body, events }, lanes, traceparent = '' }) => {
      const record = encodeBatch({ api, format, body, events }, 0)
      const trace = Buffer.from(traceparent, 'latin1')
      const entryBytes = 8 + 4 * lanes.length + trace.length + record.byteLength
      const chunk = withRoom(4 + entryBytes)
      let at = chunk.end
      for (const number of [entryBytes, lanes.length, ...lanes.map(lane => indexOf(chunk, lane)), trace.length]) {
        chunk.view.setUint32(at, number)
        at += 4
      }
      chunk.bytes.set(trace, at)
      record.write(chunk.bytes, at + trace.length)
      chunk.end = at + trace.length + record.byteLength
      length++
    },
    shift: () => {
      const chunk = chunks[0]
      if (!chunk) return undefined
      const { view, start } = chunk
      const end = start + 4 + view.getUint32(start)
      const count = view.getUint32(start + 4)
      const lanes = Array.from({ length: count }, (_, i) => laneAt(chunk, view.getUint32(start + 8 + 4 * i)))
      const traceAt = start + 12 + 4 * count
      const batchAt = traceAt + view.getUint32(traceAt - 4)
      const traceparent = Buffer.from(chunk.bytes.subarray(traceAt, batchAt)).toString('latin1') || undefined
      const batch = decodeBatch(chunk.bytes.subarray(batchAt, end))
      chunk.start = end
      if (end === chunk.end) chunks.shift()
      length--
      return { batch, lanes, traceparent }
    },
  }
}

const createChunk = (length: number): Chunk => {
  const bytes = new Uint8Array(length)
  return { bytes, view: new DataView(bytes.buffer), lanes: [], indexes: new Map(), start: 0, end: 0 }
}

const indexOf = ({ lanes, indexes }: Chunk, lane: TypeLane): number => {
  const known = indexes.get(lane)
  if (known !== undefined) return known
  indexes.set(lane, lanes.length)
  return lanes.push(lane) - 1
}

const laneAt = ({ lanes }: Chunk, index: number): TypeLane => {
  const lane = lanes[index]
  if (!lane) throw new RangeError(`There is no lane ${index} among the ${lanes.length} of a chunk`)
  return lane
}
