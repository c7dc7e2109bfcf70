/**
 * Writes a whole new file:
 *
 *     create ─▶ addBlock ─▶ its bytes to a pipeline ─▶ addBlock … ─▶ complete, until the last block has its replicas
 *
 * A pipeline that breaks is continued, or replaced (`file-writer.ts`). If no node is left, or fewer than were asked for, the
 * whole file fails, and is removed: the publisher sends it again. A file that has another owner by then is left alone.
 */
import { abortable } from '../../abortable.ts'
import { refusal } from '../../cluster/steps.ts'
import type { CreateOptions } from '../../hadoop-verbs.ts'
import { FileWriter } from './file-writer.ts'
import { isLostLease } from './leases.ts'
import { requireCopies } from './require-copies.ts'
import { completeFile, createUnfinishedFile, removeUnfinished, type WriteTransfer } from './unfinished-file.ts'

/** Rejects with `FileSystemError`, what `source` throws, and `NotNative` before anything of it was read. */
export const writeBlockFile = async (
  transfer: WriteTransfer,
  path: string,
  source: AsyncIterable<Uint8Array>,
  options: CreateOptions,
): Promise<void> => {
  if (path === '/') throw refusal('is-directory', path, 'create', 'it is a directory')
  const file = await createUnfinishedFile(transfer, path, options)
  const writer = new FileWriter(transfer, file)
  try {
    for await (const chunk of abortable(source, options.signal, path)) await writer.write(chunk)
    const last = await writer.finish()
    if (last) requireCopies(writer.copies, path, { ...options, replication: file.replication })
    await completeFile(transfer, file, last)
  } catch (error) {
    writer.destroy(error)
    if (isLostLease(error)) file.lease.end()
    else await removeUnfinished(transfer.nameNode, file)
    throw error
  }
}
