import type { MountTable } from '../mounts.ts'

/** Every path of the one name space that leads to the same place: itself, and one below each further mount of its cluster. */
export const toAliases = (
  { mountPoints, mountOf, urlOf }: Pick<MountTable, 'mountPoints' | 'mountOf' | 'urlOf'>,
  path: string,
): readonly string[] => {
  const toInner = (point: string): string => (point === '/' ? '' : point)
  const own = mountOf(path)
  const inner = path.slice(toInner(own).length)
  const others = mountPoints.filter(point => point !== own && isSameCluster(urlOf(point), urlOf(path)))
  return [path, ...others.map(point => `${toInner(point)}${inner}`).filter(alias => others.includes(mountOf(alias)))]
}

/** Two lists of name nodes that share one are of one cluster. */
const isSameCluster = (one: string, other: string): boolean =>
  one === other || !namesOf(one).isDisjointFrom(namesOf(other))

const namesOf = (url: string): ReadonlySet<string> => {
  const [, authority = ''] = /^hdfs:\/\/([^/]*)/i.exec(url) ?? []
  const hosts = authority
    .toLowerCase()
    .split(',')
    .filter(host => host !== '')
  return new Set(hosts.map(host => (/:\d+$/.test(host) ? host : `${host}:8020`)))
}
