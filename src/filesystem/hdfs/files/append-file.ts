import { throwIfAborted } from '../../abortable.ts'
import type { Appends, FileAppender } from '../../appends.ts'
import { refusal } from '../../cluster/steps.ts'
import { notFound } from '../name-node/calls.ts'
import { type ExtendedBlock, fileType } from '../name-node/messages.ts'
import { nameNodeMethods } from '../name-node/methods.ts'
import { FileWriter } from './file-writer.ts'
import { locate } from './locate.ts'
import { truncateFile } from './truncate-file.ts'
import {
  completeFile,
  continueFile,
  createUnfinishedFile,
  NotNative,
  recoverFile,
  type UnfinishedFile,
  type WriteTransfer,
} from './unfinished-file.ts'

/** Files that stay open, of paths as `parsePath` returns them. Blocks are synced to disk when they end. */
export const createAppends = (transfer: WriteTransfer): Appends => ({
  async create(path, options = {}) {
    throwIfAborted(options.signal, path)
    const created = createUnfinishedFile(transfer, path, { ...options, syncBlock: true })
    const file = await created.catch(error => {
      throw error instanceof NotNative ? refusal('unsupported', path, 'keep open', error.message, error) : error
    })
    return open(transfer, file, 0)
  },

  async append(path, { signal } = {}) {
    throwIfAborted(signal, path)
    const about = { action: 'append to', path, signal }
    const { fs } = await transfer.nameNode.call(nameNodeMethods.getFileInfo, { src: path }, about)
    if (fs === undefined) throw notFound(path, 'append to')
    if (fs.fileType === fileType.directory) throw refusal('is-directory', path, 'append to', 'it is a directory')
    if (fs.fileEncryptionInfo !== undefined || fs.ecPolicy !== undefined) {
      throw refusal('unsupported', path, 'append to', 'it is encrypted or erasure-coded')
    }
    const { file, length, last } = await continueFile(transfer, path, signal)
    return open(transfer, file, length, last)
  },

  truncate: (path, length, { signal } = {}) => truncateFile(transfer, path, length, signal),

  async visibleLength(path, { signal } = {}) {
    throwIfAborted(signal, path)
    const { fileLength, isLastBlockComplete, lastBlock } = await locate(transfer, path, signal ? { signal } : {})
    if (isLastBlockComplete || lastBlock === undefined) return fileLength
    throw refusal('unavailable', path, 'look at the end of', 'no data node says how long its last block is')
  },

  async recoverLease(path, { signal } = {}) {
    throwIfAborted(signal, path)
    const request = { src: path, clientName: transfer.clientName }
    const { result } = await transfer.nameNode.call(nameNodeMethods.recoverLease, request, {
      action: 'take over',
      path,
      signal,
    })
    return result
  },

  async isClosed(path, { signal } = {}) {
    const about = { action: 'look at', path, signal }
    return (await transfer.nameNode.call(nameNodeMethods.isFileClosed, { src: path }, about)).result
  },
})

const open = (transfer: WriteTransfer, file: UnfinishedFile, before: number, last?: ExtendedBlock): FileAppender => {
  const writer = new FileWriter(transfer, file, last)
  let length = before
  return {
    get length() {
      return length
    },
    get copies() {
      return writer.copies
    },
    async write(bytes) {
      const { length: added } = bytes
      await writer.write(bytes)
      length += added
    },
    hflush: () => writer.flush(false),
    hsync: () => writer.flush(true),
    close: async () => completeFile(transfer, file, await writer.finish()),
    abandon: async () => {
      writer.destroy(new Error('it is let go of'))
      await recoverFile(transfer, file)
    },
  }
}
