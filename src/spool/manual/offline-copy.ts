import type { Disk } from '../../disk/disk.ts'
import { baseName, parentPath } from '../../filesystem/path.ts'
import type { Logger } from '../../log/log.ts'
import { readCopyNote } from '../replica/copy-note.ts'
import { createReplica, type Replica } from '../replica/replica.ts'
import type { ReplicatedSettings } from '../replica/replicated-settings.ts'
import { findNoted, type NotedPlaces } from '../takeover/noted-place.ts'
import { parseOwner } from '../takeover/owners.ts'
import { fencedDirectory } from '../takeover/set-aside.ts'
import { settleCopy } from '../takeover/settle-copy.ts'

/** The spool is not to be changed: another collector has its log, and what is in it. */
export class LogTakenOver extends Error {
  override readonly name = 'LogTakenOver'

  constructor(directory: string, id: string) {
    super(
      `Another collector has taken over the log of this one, with what waits here: nothing was changed. This spool is set aside in ${directory}/${fencedDirectory}/${id}. See to what is in quarantine where that collector has it: \`sluice status\` names the place`,
    )
  }
}

export type OfflineCopyOptions = {
  readonly places: NotedPlaces
  readonly settings: ReplicatedSettings
  readonly log: Logger
}

/**
 * The copy in HDFS of a spool that a tool is going to change: what is decided about its events has to be known there as well, or
 * a collector that takes the log over decides once more.
 * @returns undefined of a spool without a copy
 * @throws LogTakenOver, CopyNotWithdrawn
 */
export const openOfflineCopy = async (
  disk: Disk,
  { places, settings, log }: OfflineCopyOptions,
): Promise<Replica | undefined> => {
  const note = await readCopyNote(disk)
  if (!note) return undefined
  const { path, place } = await findNoted(disk, note, places)
  if (path === undefined)
    throw new Error(
      `The log of this spool is in ${place} as well, and no setting names that cluster: nothing was changed. Name it in clusters, or give the settings of its collector (--config)`,
    )
  const outputDirectory = parentPath(parentPath(path))
  const owner = parseOwner(baseName(path))
  const isOwn = owner === undefined || owner.keeper === owner.id
  const aside = isOwn ? await settleCopy(disk, { ...places, outputDirectory }, log) : undefined
  if (aside !== undefined) throw new LogTakenOver(disk.directory, aside)
  // A withdrawal that had begun is over.
  if (!(await readCopyNote(disk))) return undefined
  return createReplica({
    fileSystem: places.fileSystem,
    outputDirectory,
    settings: () => settings,
    log,
    now: Date.now,
    owner: isOwn ? undefined : owner.name,
    onFenced: () => {},
  })
}
