import type { Disk } from '../../disk/disk.ts'
import { decodeEvents } from '../events/decode-events.ts'
import { localPath } from '../files/spool-paths.ts'
import { decodeBatch } from '../segment/record.ts'
import { readSegment } from '../segment/segment-reader.ts'
import { bucketLines, eventLine } from './bucket-events.ts'
import { salvageBatches } from './salvage.ts'
import { type SpoolView, viewSpool } from './view.ts'

/** An event as the JSON line that can be posted again, and its place. */
export type DumpedEvent = { readonly source: string; readonly line: string }

export type DumpOptions = {
  /** Only these: names of bucket files or of quarantined pieces, or `0000000001.log`. @default all that waits */
  readonly only?: readonly string[]
  /** Also local copies of files that are committed. @default false */
  readonly committed?: boolean
  /** Called for what cannot be read; the dump continues after it. */
  readonly onProblem: (source: string, problem: string) => void
}

/** Events of a spool, oldest first: bucket files that wait, quarantine, segments. Changes nothing. */
export async function* dumpSpool(disk: Disk, options: DumpOptions): AsyncGenerator<DumpedEvent, void, undefined> {
  const view = await viewSpool(disk)
  for (const { source, lines } of sources(disk, view, options)) {
    try {
      for await (const line of lines()) yield { source, line }
    } catch (error) {
      // Committed and removed while we looked: its events are in the file system.
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      options.onProblem(source, isGone ? 'is gone' : (error as Error).message)
    }
  }
}

type Source = { readonly source: string; readonly lines: () => AsyncGenerator<string> }

const sources = (disk: Disk, view: SpoolView, { only, committed = false, onProblem }: DumpOptions): Source[] => {
  const known = new Set(view.files.map(({ file }) => file.name))
  const isWanted = (name: string, byDefault = true): boolean => (only ? only.includes(name) : byDefault)
  return [
    ...view.files
      .filter(({ file, state }) => isWanted(file.name, committed || state.at !== 'committed'))
      .map(({ file, state }) => {
        const source = localPath(file.name, state.at)
        return {
          source,
          lines: async function* () {
            yield* bucketLines(await disk.read(source), file)
          },
        }
      }),
    ...view.quarantine
      .filter(({ name, kind }) => !known.has(name) && isWanted(name, kind === 'damage'))
      .map(({ path: source }) => {
        return {
          source,
          lines: async function* () {
            yield* salvagedLines(await disk.read(source), source, onProblem)
          },
        }
      }),
    ...view.segments
      .filter(({ path }) => isWanted(path.slice('log/'.length)))
      .map(({ path, end }) => ({
        source: path,
        lines: async function* () {
          const bytes = await disk.read(path)
          yield* segmentLines(end === undefined ? bytes : bytes.subarray(0, end), path, onProblem)
        },
      })),
  ]
}

function* segmentLines(bytes: Uint8Array, source: string, onProblem: DumpOptions['onProblem']): Generator<string> {
  for (const part of readSegment(bytes, source)) {
    try {
      if (part.kind === 'record') for (const event of decodeEvents(decodeBatch(part.payload))) yield eventLine(event)
      else if (!part.isTorn) onProblem(source, `bytes ${part.start} to ${part.end}: damaged`)
    } catch (error) {
      onProblem(source, `byte ${part.start}: ${(error as Error).message}`)
    }
  }
}

function* salvagedLines(bytes: Uint8Array, source: string, onProblem: DumpOptions['onProblem']): Generator<string> {
  for (const { batch, start } of salvageBatches(bytes, source)) {
    try {
      for (const event of decodeEvents(batch)) yield eventLine(event)
    } catch (error) {
      onProblem(source, `byte ${start}: ${(error as Error).message}`)
    }
  }
}
