import type { MountTable } from '../../../src/filesystem/mounts.ts'
import { baseName, isInside, parentPath } from '../../../src/filesystem/path.ts'
import { toLogDirectory } from '../../../src/spool/replica/log-directory.ts'
import { type Owner, parseOwner } from '../../../src/spool/takeover/owners.ts'
import { CliError, usageError } from '../command/failure.ts'

/** The log of a collector, by its URL. */
export type AdoptableLog = {
  /** As the settings of the clusters name it. */
  readonly outputDirectory: string
  /** The same on its cluster; for people. */
  readonly outputUrl: string
  readonly owner: Owner
}

/** @param text `hdfs://HOST/DIRECTORY/_log/ID`, `s3://BUCKET/PREFIX/DIRECTORY/_log/ID` @throws CliError `usage`, `destination` */
export const findLog = (
  text: string,
  { urlOf, mountPoints }: Pick<MountTable, 'urlOf' | 'mountPoints'>,
): AdoptableLog => {
  const url = URL.parse(text)
  const there = decodeURIComponent(url?.pathname ?? '')
  // Several clusters may be prefixes of one bucket: the longest one counts.
  const [cluster] = mountPoints
    .flatMap(mount => {
      const at = URL.parse(urlOf(mount))
      const prefix = decodeURIComponent(at?.pathname ?? '').replace(/\/$/, '')
      return at && at.host === url?.host && isInside(there, prefix || '/') ? [{ mount, prefix }] : []
    })
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
  if (!cluster)
    throw new CliError(
      `No cluster in the settings has the address ${url?.host || text}. Nothing was taken. Set namenode.url or clusters (--config, --set)`,
      { code: 'destination' },
    )
  const path = `${cluster.mount === '/' ? '' : cluster.mount}${there.slice(cluster.prefix.length)}`
  const outputDirectory = parentPath(parentPath(path))
  const owner = parseOwner(baseName(path))
  if (!owner || parentPath(path) !== toLogDirectory(outputDirectory))
    throw usageError(
      `${text} is not the log of a collector: hdfs://HOST/DIRECTORY/_log/ID or s3://BUCKET/DIRECTORY/_log/ID`,
    )
  return { outputDirectory, outputUrl: text.slice(0, text.lastIndexOf('/_log/')), owner }
}
