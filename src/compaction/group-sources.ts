import type { FileSystem } from '../filesystem/filesystem.ts'
import { findKinds, type StructKind } from '../formats/parquet/kind.ts'
import { createFindNode } from '../formats/parquet/rewrite/match-columns.ts'
import { toSchema } from '../formats/parquet/schema.ts'
import type { LiveFile } from '../tables/replace/live-files.ts'
import type { TablePlace } from '../tables/table-place.ts'
import { mayRepeat } from './event-ids.ts'
import { mergeStructs, toTableKinds } from './merge-kinds.ts'
import type { RowTarget } from './read-rows.ts'
import { openSource, withSource } from './source-files.ts'

/** Files whose columns mean the same, with what they hold where the collector wrote them. */
export type SourceGroup = { readonly files: readonly LiveFile[]; readonly kinds: StructKind | undefined }

/** Tells files of the collector from those of other programs, whose texts may look like its JSON. @throws UnfitSource, UnlikeKinds */
export const groupSources = async (
  fileSystem: FileSystem,
  place: TablePlace,
  files: readonly LiveFile[],
  { layout, names }: Pick<RowTarget, 'layout' | 'names'>,
): Promise<readonly SourceGroup[]> => {
  const [ours, others]: [LiveFile[], LiveFile[]] = [[], []]
  let kinds: StructKind | undefined
  for (const file of files) {
    const found = await withSource(file, async () => {
      const { footer } = await openSource(fileSystem, place, file)
      const { columns } = toSchema(footer.schema)
      const own = findKinds(footer.keyValues)
      return own && toTableKinds(own, columns, layout.nodes, createFindNode(columns, names))
    })
    if (found) kinds = kinds ? mergeStructs(kinds, found) : found
    const group = found ? ours : others
    group.push(file)
  }
  return [
    { files: ours, kinds },
    { files: others, kinds: undefined },
  ].filter(({ files }) => files.length > 1 || files.some(mayRepeat))
}
