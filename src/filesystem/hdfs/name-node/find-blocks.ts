import { refusal } from '../../cluster/steps.ts'
import { type LocatedBlocks, removedLength } from './messages.ts'
import { nameNodeMethods } from './methods.ts'
import type { CallSubject, NameNode } from './name-node.ts'

/** How often an answer is asked for in which blocks are gone: the next one is of the file that is there then, if any. */
const maxAsked = 5

/** Where the blocks of a part of a file are; undefined where it does not exist. Rejects with `FileSystemError`. */
export const findBlocks = async (
  nameNode: NameNode,
  { offset, length }: { readonly offset: number; readonly length: number },
  about: CallSubject,
): Promise<LocatedBlocks | undefined> => {
  const { path, action } = about
  for (let asked = 1; asked <= maxAsked; asked++) {
    const request = { src: path, offset, length }
    const { locations } = await nameNode.call(nameNodeMethods.getBlockLocations, request, about)
    if (!locations?.blocks.some(({ b }) => b.numBytes === removedLength)) return locations
  }
  throw refusal('unavailable', path, action, 'its blocks are being removed')
}
