import { pathToFileURL } from 'node:url'
import type { Cluster } from './cluster-rows.ts'
import type { FixedSettings } from './table.ts'

/** A cluster, and which settings name it: `namenode.*` also mean the embedded file system. */
export type NamedCluster = Cluster & { readonly from: 'namenode' | 'clusters' }

/** The settings that name clusters. */
export type ClusterSettings = Pick<
  FixedSettings,
  | 'data.dir'
  | 'clusters'
  | 'namenode.url'
  | 'namenode.webhdfs.url'
  | 'namenode.protocol'
  | 'namenode.hadoop-conf'
  | 'namenode.user'
  | 'namenode.token'
  | 'namenode.kerberos.principal'
  | 'namenode.kerberos.keytab'
  | 'namenode.doas'
>

/** All clusters of the settings, however they are spelled: the default one, at `/`, is the first. */
export const clustersOf = (settings: ClusterSettings): readonly [NamedCluster, ...NamedCluster[]] => {
  const rows = settings.clusters.map(row => ({ ...row, from: 'clusters' }) as const)
  const root = rows.find(({ path }) => path === '/')
  return [root ?? toDefault(settings), ...rows.filter(({ path }) => path !== '/')]
}

/** The one that serves an absolute path: of those above it the nearest. */
export const clusterAt = (settings: ClusterSettings, path: string): NamedCluster => {
  const below = `${path.replace(/\/{2,}/g, '/')}/`
  const isAbove = ({ path: mount }: NamedCluster): boolean => mount === '/' || below.startsWith(`${mount}/`)
  return clustersOf(settings).reduce((best, one) => (isAbove(one) && one.path.length > best.path.length ? one : best))
}

/** Whether it is the file system in `data.dir`, which is there where no other is named. */
export const isEmbedded = ({ from, url }: NamedCluster): boolean => from === 'namenode' && url.startsWith('file:')

const toDefault = (settings: ClusterSettings): NamedCluster => {
  const { 'namenode.kerberos.principal': principal, 'namenode.kerberos.keytab': keytab } = settings
  return {
    path: '/',
    url: settings['namenode.url'] ?? pathToFileURL(`${settings['data.dir']}/fs`).href,
    webhdfs: settings['namenode.webhdfs.url'],
    protocol: settings['namenode.protocol'],
    hadoopConf: settings['namenode.hadoop-conf'],
    user: settings['namenode.user'],
    token: settings['namenode.token'],
    kerberos: principal !== undefined && keytab !== undefined ? { principal, keytab } : undefined,
    doas: settings['namenode.doas'],
    s3: undefined,
    from: 'namenode',
  }
}
