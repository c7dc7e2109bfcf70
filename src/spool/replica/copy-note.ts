/**
 * `replicated`, in the spool's directory: its copy in HDFS was made, so that one that is not there was taken. The first line is
 * where the copy is; a second one is the name that it gets, or has got, because it does not belong there any more.
 */
import type { Disk } from '../../disk/disk.ts'
import { writeSynced } from '../../disk/write-synced.ts'

export const madePath = 'replicated'

/** The same note once the copy has its other name, under which it cannot be taken. */
export const withdrawnPath = 'withdrawn'

/** What the note says; paths are absolute. */
export type CopyNote = { readonly directory: string; readonly withdrawnTo?: string | undefined }

const nextPath = 'replicated.next'

/** @param path of the note @returns undefined where it is not there */
export const readCopyNote = async (
  disk: Pick<Disk, 'list' | 'read'>,
  path: string = madePath,
): Promise<CopyNote | undefined> => {
  if (!(await disk.list('.').catch(() => [])).some(({ name }) => name === path)) return undefined
  const [directory = '', withdrawnTo] = new TextDecoder()
    .decode(await disk.read(path))
    .split('\n')
    .filter(Boolean)
  return { directory, withdrawnTo }
}

/** Writes it in place of the one before, whole or not at all. */
export const writeCopyNote = async (disk: Disk, { directory, withdrawnTo }: CopyNote): Promise<void> => {
  const lines = withdrawnTo === undefined ? [directory] : [directory, withdrawnTo]
  await writeSynced(disk, nextPath, new TextEncoder().encode(`${lines.join('\n')}\n`))
  await disk.rename(nextPath, madePath)
  await disk.fsyncDir('.')
}
