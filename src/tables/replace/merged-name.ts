/** The names of files that compactions make: no other file of a table has such a name. */

const uuid = String.raw`[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}`
const ofMerged = new RegExp(String.raw`/data/[^/]+/(${uuid})-\d+\.parquet$`)

/** Below the table. @param directory of the hour, below `data/` @param id a UUID, of one compaction and no other */
export const nameMerged = (directory: string, id: string, number: number): string =>
  `data/${directory}/${id}-${number}.parquet`

/** The id of the compaction that made a file; undefined of other files. @param uri as the metadata has it, or a path */
export const mergerOf = (uri: string): string | undefined => ofMerged.exec(uri)?.[1]

/** Whether a compaction made the file. @param uri as the metadata of the table has it */
export const isMerged = (uri: string): boolean => mergerOf(uri) !== undefined
