import { emptyStream } from '../../../bytes/byte-stream.ts'
import { remoteOf } from '../../cluster/remote-exception.ts'
import type { FileSystem, OpenFile, OpenOptions } from '../../filesystem.ts'
import { checkRange } from '../../options.ts'
import { notFound } from '../name-node/calls.ts'
import { fileStatusOf } from '../name-node/file-status.ts'
import type { HdfsFileStatus, LocatedBlocks } from '../name-node/messages.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import { locate, readBlockFile, type Transfer } from './read-file.ts'

type Opener = Pick<Required<FileSystem>, 'open' | 'openFile'>

/**
 * Makes what opens files, of paths as `parsePath` returns them. Status and blocks are one answer of the name node; it
 * remembers whether that is too old for it (before Hadoop 3.3).
 * @param webHdfs reads what is not to be read here
 */
export const createBlockFileOpener = (transfer: Transfer, webHdfs: FileSystem): Opener => {
  let knowsLocatedInfo = true

  const askStatus = async (path: string): Promise<HdfsFileStatus> => {
    const about = { action: 'look at', path }
    if (knowsLocatedInfo) {
      try {
        const request = { src: path, needBlockToken: true }
        const { fs } = await transfer.nameNode.call(nameNodeMethods.getLocatedFileInfo, request, about)
        if (fs === undefined) throw notFound(path, about.action)
        return fs
      } catch (error) {
        if (remoteOf(error)?.exception !== 'RpcNoSuchMethodException') throw error
        knowsLocatedInfo = false
      }
    }
    const { fs } = await transfer.nameNode.call(nameNodeMethods.getFileInfo, { src: path }, about)
    if (fs === undefined) throw notFound(path, about.action)
    return fs
  }

  const read = (path: string, located: LocatedBlocks, options: OpenOptions) =>
    isForeign(located) ? webHdfs.open(path, options) : readBlockFile(transfer, path, located, options)

  const open: Opener['open'] = async (path, options = {}) => {
    const located = await locate(transfer, path, options)
    return options.length === 0 ? emptyStream() : await read(path, located, options)
  }

  return {
    open,
    openFile: async (path): Promise<OpenFile> => {
      const found = await askStatus(path)
      const { locations } = found
      return {
        status: fileStatusOf(found, path),
        read: async (options = {}) => {
          checkRange(options)
          return locations === undefined ? await open(path, options) : await read(path, locations, options)
        },
        close: () => {},
      }
    },
  }
}

/** Whether its bytes are not simply those of its blocks, or not all of them are known yet. */
const isForeign = ({ fileEncryptionInfo, ecPolicy, underConstruction, isLastBlockComplete }: LocatedBlocks): boolean =>
  fileEncryptionInfo !== undefined || ecPolicy !== undefined || (underConstruction && !isLastBlockComplete)
