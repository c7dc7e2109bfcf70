import { emptyStream } from '../../../bytes/byte-stream.ts'
import { throwIfAborted, untilAborted } from '../../abortable.ts'
import { refusal } from '../../cluster/steps.ts'
import type { FileStatus, FileSystem, OpenOptions } from '../../filesystem.ts'
import { checkRange } from '../../options.ts'
import type { LocatedBlocks } from '../name-node/messages.ts'
import { locate } from './locate.ts'
import { readBlockFile } from './read-file.ts'
import type { Transfer } from './transfer.ts'

type Files = Pick<FileSystem, 'getFileStatus' | 'open'>

/**
 * Makes what opens files, of paths as `parsePath` returns them. Each is asked for by `getBlockLocations`, because that is
 * where the name node looks at the right to read: with `getLocatedFileInfo`, which has the status in the same answer, it
 * looks at the directories above only, and data nodes without block tokens look at nothing.
 * @param webHdfs reads what is not to be read here
 */
export const createBlockFiles = (
  transfer: Transfer,
  getFileStatus: Files['getFileStatus'],
  webHdfs: Pick<Files, 'open'>,
): Required<Pick<FileSystem, 'open' | 'openFile'>> => {
  const read = async (path: string, located: LocatedBlocks, options: OpenOptions): ReturnType<Files['open']> => {
    if (options.length === 0) return emptyStream()
    return isForeign(located)
      ? await webHdfs.open(path, options)
      : await readBlockFile(transfer, path, located, options)
  }
  return {
    open: async (path, options = {}) => await read(path, await locate(transfer, path, options), options),

    // Both are asked at once: it is one way to the name node and back.
    openFile: async path => {
      const locating = locate(transfer, path, {})
      // A directory, or unreadable bytes: reported when they are requested.
      locating.catch(() => {})
      const status = await getFileStatus(path)
      return {
        status,
        read: async (options = {}) => {
          checkRange(options)
          const { offset = 0, signal } = options
          const located = await untilAborted(locating, signal).catch((error: unknown) => {
            throwIfAborted(signal, path)
            throw error
          })
          const isKnown = offset === 0 || isWithin(located, offset)
          const here = isKnown ? located : await locate(transfer, path, options)
          if (!isAsTold(here, status)) throw refusal('unavailable', path, 'open', 'it was changed while it was opened')
          return await read(path, here, options)
        },
        close: () => {},
      }
    },
  }
}

const isWithin = ({ blocks }: LocatedBlocks, position: number): boolean =>
  blocks.some(({ offset, b }) => offset <= position && position < offset + (b.numBytes ?? 0))

/**
 * Whether they may be of the file of which the status is: a part of another one would look whole. One that is being written
 * has no one length.
 */
const isAsTold = ({ fileLength, underConstruction }: LocatedBlocks, { length }: FileStatus): boolean =>
  fileLength === length || underConstruction

/** Whether its bytes are not simply those of its blocks, or not all of them are known yet. */
const isForeign = ({ fileEncryptionInfo, ecPolicy, underConstruction, isLastBlockComplete }: LocatedBlocks): boolean =>
  fileEncryptionInfo !== undefined || ecPolicy !== undefined || (underConstruction && !isLastBlockComplete)
