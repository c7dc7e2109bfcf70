/**
 * The files of a spool that are in HDFS as well, with their names:
 *
 *     <event-output-directory>/_log/<owner>/      mode 0700; <owner>: the collector id, or <id>.<taker> once another one has taken it
 *         alive                                   empty; its modification time is a counter that the owner raises (`alive.ts`)
 *         id, format, destination, schemas        as in the spool's directory (`spool-paths.ts`)
 *         log-NNNNNNNNNN.log                      log/NNNNNNNNNN.log; there until all of its events are in the file system
 *         keys-NNNNNNNNNN.keys, ids-NNNNNNNNNN.ids
 *         ledger                                  the last one to come: without it the directory is not whole
 *         *.copy                                  a file that is being written, until it gets its name
 *
 * All of it is in one directory, which is made once: a collector that has lost it can make nothing in it any more, and
 * nothing beside it that would be taken for it. What is not there is made again from the log (`sealed/`), or is of this
 * machine only.
 */
import { parseSegmentName } from '../segment/segment-files.ts'

const plain = /^(?:id|format|destination|schemas|ledger)$/
const numbered = /^(?:log\/\d{10}\.log|keys\/\d{10}\.keys|ids\/\d{10}\.ids)$/

/** Directories of the spool of which files are copied. */
export const copiedDirectories = ['.', 'log', 'keys', 'ids'] as const

/** Suffix of a file that is being rewritten. */
export const copySuffix = '.copy'

/** Whether a file of the spool is in HDFS as well. */
export const isCopied = (path: string): boolean => plain.test(path) || numbered.test(path)

/** Whether it is a segment: it takes events while HDFS is away, where that is asked for, and outlives its local file. */
export const isSegment = (path: string): boolean => path.startsWith('log/')

/** Whether it is a small file that is replaced as a whole: another one of the same length may be what it was before. */
export const isReplaced = (path: string): boolean => plain.test(path)

/** The number of a segment by its path in the spool; undefined for another file. */
export const segmentAt = (path: string): number | undefined =>
  isSegment(path) ? parseSegmentName(path.slice('log/'.length)) : undefined

/** @param path of a file that {@link isCopied} */
export const toRemoteName = (path: string): string => path.replace('/', '-')

/** The path in the spool; undefined for a name of another kind. */
export const toLocalPath = (name: string): string | undefined => {
  const path = name.replace(/^(log|keys|ids)-/, '$1/')
  return isCopied(path) ? path : undefined
}

/** Whether a directory with these names has all that is needed to continue with it. */
export const isWholeCopy = (names: readonly string[]): boolean => names.includes('ledger')

/** The number of the segment that has this name in HDFS; undefined for another file. */
export const parseRemoteSegment = (name: string): number | undefined =>
  name.startsWith('log-') ? parseSegmentName(name.slice('log-'.length)) : undefined
