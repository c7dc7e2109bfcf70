import { clusterList, protocols, toHdfsUrl } from './cluster-rows.ts'
import { choice, list, type Setting, text, toUrl } from './setting.ts'

const hdfsUrl = (words: Pick<Setting<unknown>, 'sentence' | 'defaultText'>): Setting<string | undefined> => ({
  type: 'URL',
  default: undefined,
  parse: toHdfsUrl,
  ...words,
})

/** Where HDFS is, how it is spoken to, and as whom. */
export const nameNodeRows = {
  'namenode.url': hdfsUrl({
    sentence:
      '`hdfs://host:port`; with it the default cluster is HDFS. `hdfs://host:port,host:port` for high availability, or `hdfs://nameservice` with `namenode.hadoop-conf`.',
    defaultText: 'the embedded local file system',
  }),
  'namenode.webhdfs.url': list(toUrl('http:', 'https:'), [], {
    sentence: 'WebHDFS address of the NameNode; a comma list for high availability.',
    defaultText: 'host of `namenode.url`, port 9870, then 50070',
  }),
  'namenode.protocol': choice(protocols, 'auto', {
    sentence:
      "`native`: HDFS' own protocol (RPC at `namenode.url`, blocks at DataNodes), and WebHDFS only for what that does not do. `webhdfs`: WebHDFS alone. `auto`: as `native` where the nodes answer and no address of WebHDFS is `https://`, else WebHDFS; the log, `sluice doctor` and the health report say which, and why.",
  }),
  'namenode.hadoop-conf': text(undefined, {
    sentence:
      'Directory with `core-site.xml` and `hdfs-site.xml` of the cluster, read at the start: they say where the NameNodes of `hdfs://nameservice` are, how DataNodes are found (`dfs.client.use.datanode.hostname`), and which protection is demanded (`hadoop.rpc.protection`, `dfs.data.transfer.protection`, `dfs.encrypt.data.transfer`).',
  }),
  'namenode.user': text(undefined, {
    sentence:
      'The user that a cluster without Kerberos sees. Without it `HADOOP_USER_NAME`, else the user of this process; with `namenode.protocol: webhdfs` none.',
  }),
  'namenode.token': text(undefined, { sentence: 'Delegation token.', secret: true }),
  'namenode.kerberos.principal': text(undefined, {
    sentence:
      'Principal of this server for a cluster with Kerberos: `sluice/host.example.org@REALM`. `_HOST` is replaced by the full name of this machine.',
  }),
  'namenode.kerberos.keytab': text(undefined, {
    sentence: 'File with the keys of that principal; no `kinit` is needed. Needs the npm package `kerberos`.',
  }),
  'namenode.doas': choice(['server', 'caller'], 'server', {
    sentence:
      'As whom the gateway works on the default cluster: as this server, or as the user who calls (the server must be a proxy user there).',
  }),
  clusters: clusterList({
    sentence:
      'All clusters in one list, the default one at `/`: `{path, url, webhdfs, protocol, hadoop-conf, user, token, kerberos: {principal, keytab}, doas}`, url `hdfs://…` or `file:…`; for an object store `{path, url, endpoint, region, path-style, profile}`, url `s3://bucket/prefix`. `namenode.*` is another spelling of the row at `/`.',
  }),
} as const
