/**
 * How many data nodes must have a new file (`CreateOptions.minReplication`). HDFS takes one for enough: what a broken pipeline left on
 * a single node is lost with it, until the name node has had it copied.
 */
import { refusal } from '../../cluster/steps.ts'
import type { CreateOptions, FsServerDefaults, HadoopVerbs } from '../../hadoop-verbs.ts'
import { untilReplicated } from './until-replicated.ts'

/** Of a file with blocks, from those who wrote it. @param copies nodes that have all of each block @throws FileSystemError `unavailable` */
export const requireCopies = (
  copies: number,
  path: string,
  { minReplication = 1, replication }: Pick<CreateOptions, 'minReplication'> & { readonly replication: number },
): void => {
  const least = Math.min(minReplication, replication)
  if (copies >= least) return
  const nodes = copies === 1 ? 'node has' : 'nodes have'
  throw refusal('unavailable', path, 'create', `${copies} data ${nodes} all of a block, expected ${least}`)
}

/** Of a file that a data node wrote for us: asks until the name node knows of enough. Rejects with `FileSystemError`. */
export const untilCopied = async (
  { getFileBlockLocations }: Pick<HadoopVerbs, 'getFileBlockLocations'>,
  path: string,
  { minReplication = 1, replication, signal }: CreateOptions,
  defaultsOf: (path: string) => Promise<Pick<FsServerDefaults, 'replication'>>,
): Promise<void> => {
  if (minReplication <= 1) return
  const least = Math.min(minReplication, replication ?? (await defaultsOf(path)).replication)
  if (least <= 1) return
  await untilReplicated({ path, action: 'create' }, signal, async () => {
    const blocks = await getFileBlockLocations(path, 0, Number.MAX_SAFE_INTEGER)
    return blocks.every(({ names }) => names.length >= least) || undefined
  })
}
