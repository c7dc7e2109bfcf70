import { refusal } from '../cluster/steps.ts'
import type { FileSystem } from '../filesystem.ts'
import { parsePath } from '../path.ts'

/**
 * In place of WebHDFS where nothing may go that way: every call is refused, and says why.
 * @param webHdfs it is closed with this one
 */
export const createRefusedWebHdfs = (webHdfs: FileSystem, why: string): FileSystem => {
  const refuse = async (path: string): Promise<never> => {
    throw refusal('unsupported', parsePath(path), 'use WebHDFS for', `${why}, and its address is not https`)
  }
  const refused: FileSystem = {
    url: webHdfs.url,
    publish: refuse,
    settle: refuse,
    open: refuse,
    getFileStatus: refuse,
    listStatus: path => ({ [Symbol.asyncIterator]: () => ({ next: () => refuse(path) }) }),
    delete: refuse,
    hadoop: {
      create: refuse,
      append: refuse,
      getFileChecksum: refuse,
      webHdfs: ({ path }) => refuse(path),
    },
    probe: () => refuse('/'),
    close: () => webHdfs.close(),
  }
  return { ...refused, ...(webHdfs.as && { as: () => refused }) }
}
