import { emptyStream } from '../../../bytes/byte-stream.ts'
import type { FileSystem } from '../../filesystem.ts'
import type { LocatedBlocks } from '../name-node/messages.ts'
import { locate } from './locate.ts'
import { readBlockFile } from './read-file.ts'
import type { Transfer } from './transfer.ts'

/**
 * Makes what opens files, of paths as `parsePath` returns them. Each is asked for by `getBlockLocations`, because that is
 * where the name node looks at the right to read: with `getLocatedFileInfo`, which has the status in the same answer, it
 * looks at the directories above only, and data nodes without block tokens look at nothing.
 * @param webHdfs reads what is not to be read here
 */
export const createBlockFileOpener =
  (transfer: Transfer, webHdfs: FileSystem): FileSystem['open'] =>
  async (path, options = {}) => {
    const located = await locate(transfer, path, options)
    if (options.length === 0) return emptyStream()
    return isForeign(located)
      ? await webHdfs.open(path, options)
      : await readBlockFile(transfer, path, located, options)
  }

/** Whether its bytes are not simply those of its blocks, or not all of them are known yet. */
const isForeign = ({ fileEncryptionInfo, ecPolicy, underConstruction, isLastBlockComplete }: LocatedBlocks): boolean =>
  fileEncryptionInfo !== undefined || ecPolicy !== undefined || (underConstruction && !isLastBlockComplete)
