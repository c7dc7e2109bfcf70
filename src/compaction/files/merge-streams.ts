import type { FileMerge } from './file-merge.ts'
import type { FileKind } from './kinds/file-kind.ts'
import { openBytes } from './open-bytes.ts'
import type { PackFile } from './pack.ts'
import { RecordTally } from './record-tally.ts'
import { toUnfit } from './unfit-file.ts'

/** Merges files one after another, as they are read. @param key what they have in common */
export const mergeStreams = (kind: FileKind, key: string, pack: PackFile): FileMerge => ({
  write: ({ fileSystem, onBytes, signal }, files) => {
    const tally = new RecordTally()
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      const writer = kind.begin(key)
      if (writer.start.length > 0) yield writer.start
      for (const file of files) {
        signal?.throwIfAborted()
        try {
          const { queue, close } = await openBytes(fileSystem, file, onBytes)
          try {
            yield* writer.add(queue, tally)
          } finally {
            await close()
          }
        } catch (error) {
          throw toUnfit(file, error)
        }
      }
      yield writer.end()
    }
    return { pieces: pack(pieces()), tally }
  },
  count: async ({ fileSystem, onBytes }, file) => {
    const tally = new RecordTally()
    const { queue, close } = await openBytes(fileSystem, file, onBytes)
    try {
      for await (const _ of kind.begin(key).add(queue, tally));
    } finally {
      await close()
    }
    return tally
  },
})
