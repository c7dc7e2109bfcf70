// node:fs
import { constants } from 'node:fs'
import { SluiceError } from '../../errors.ts'
import { unsupportedBy } from '../facets.ts'
import { FileSystemError } from '../filesystem.ts'
import type { HadoopVerbs } from '../hadoop-verbs.ts'
import { parsePath } from '../path.ts'
import { guard, notFoundBelowFile } from './errors.ts'
import { openInside } from './open-inside.ts'
import { resolveInside } from './resolve.ts'
import type { PathTurns } from './turns.ts'

/**
 * The operations of WebHDFS that are not verbs and work without a cluster: TRUNCATE, in place and at once, as Hadoop's
 * `RawLocalFileSystem` does it. Every other one rejects with `unsupported`.
 */
export const createOwnOperations =
  (root: string, turns: PathTurns): HadoopVerbs['webHdfs'] =>
  ({ op, path, params }) =>
    guard('truncate', path, async () => {
      const name = parsePath(path)
      if (op !== 'TRUNCATE') throw unsupportedBy({ url: 'file:' }, name, op)
      const target = await resolveInside(root, name)
      const inside = { root, path: name }
      // In turn with appends, which replace the file.
      await turns(target, () => truncate(target, inside, parseLength(params))).catch(notFoundBelowFile)
      return { boolean: true }
    })

/** Hadoop knows the names in any case. */
const parseLength = (params: readonly (readonly [name: string, value: string])[]): number => {
  const text = params.find(([name]) => name.toLowerCase() === 'newlength')?.[1] ?? ''
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new SluiceError('bad-parameter', 'Parameter "newlength": expected the bytes to keep, a number from 0')
}

const truncate = async (target: string, inside: Parameters<typeof openInside>[2], newLength: number): Promise<void> => {
  // Not blocking: a named pipe must not hang the caller. A directory cannot be opened for writing.
  const file = await openInside(target, constants.O_WRONLY | constants.O_NONBLOCK, inside)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) {
      throw new FileSystemError('denied', inside.path, `Cannot truncate "${inside.path}": it is not a regular file`)
    }
    if (newLength > stats.size) {
      const message = `Cannot truncate to a larger file size. Current size: ${stats.size}, truncate size: ${newLength}.`
      throw new SluiceError('bad-parameter', message)
    }
    await file.truncate(newLength)
    await file.sync()
  } finally {
    await file.close()
  }
}
