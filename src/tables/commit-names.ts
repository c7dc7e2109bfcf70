/**
 * Names of what a commit writes below `metadata/` before the table refers to it:
 *
 *     <writer>-<sequence number>-<mark>-m<n>.avro                  a manifest
 *     snap-<snapshot>-1-<writer>-<sequence number>-<mark>.avro     the list of manifests
 *     .sluice-<mark>.tmp                                           any file, until it has its name
 *     compact-<sequence number>-<uuid>.lease                       the lease of a replacement (`replace/lease.ts`)
 *
 * By them an expiry finds what a commit left that was cut short: no other program has such names.
 */
import { randomBytes } from 'node:crypto'
import { isTemporaryName } from '../filesystem/temporary-name.ts'

/** Names of the files of one try. */
export type CommitNames = {
  readonly manifest: (number: number) => string
  readonly list: (snapshotId: bigint) => string
}

/**
 * Names that no other try has.
 * @param writer id of a collector, {@link importer} or {@link compactor}
 * @param sequenceNumber of the snapshot
 */
export const nameCommit = (writer: string, sequenceNumber: number): CommitNames => {
  const stem = `${writer}-${sequenceNumber}-${randomBytes(8).toString('hex')}`
  return { manifest: number => `${stem}-m${number}.avro`, list: id => `snap-${id}-1-${stem}.avro` }
}

/** The writer of an import by the command line. */
export const importer = 'import'

/** The writer of a replacement of files. */
export const compactor = 'compact'

const stem = String.raw`(?:[\da-f]{32}|${importer}|${compactor})-(\d{1,15})-[\da-f]{16}`
const ofCommit = new RegExp(String.raw`^(?:${stem}-m\d{1,6}|snap-\d+-1-${stem})\.avro$`)
/**
 * For which snapshot a file was written, by its name.
 * @returns a sequence number; 0 of a temporary file, which no snapshot refers to; undefined of what others have written
 */
export const parseCommitName = (name: string): number | undefined => {
  if (isTemporaryName(name)) return 0
  const [, ofManifest, ofList] = ofCommit.exec(name) ?? []
  const number = ofManifest ?? ofList
  return number === undefined ? undefined : Number(number)
}

/** A replacement, and the last sequence number that its snapshot may have. */
export type LeaseName = { readonly id: string; readonly last: number }

/** @param id a UUID */
export const nameLease = ({ id, last }: LeaseName): string => `${compactor}-${last}-${id}.lease`

const uuid = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`
const ofLease = new RegExp(String.raw`^${compactor}-(\d{1,15})-(${uuid})\.lease$`)

/** @returns undefined of a file that is no lease */
export const parseLeaseName = (name: string): LeaseName | undefined => {
  const [, last, id] = ofLease.exec(name) ?? []
  return last === undefined || id === undefined ? undefined : { id, last: Number(last) }
}
