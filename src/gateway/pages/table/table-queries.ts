import { type ServerAddress, toBaseUrl } from '../../../http/origin/origin.ts'
import { toPythonString, toShellWord } from '../elements/quoting.ts'
import type { Server } from '../elements/snippets.ts'

/** Lines to copy that query a table by this server's catalog. */
export type TableQuery = { readonly name: 'DuckDB' | 'pyiceberg' | 'Spark' | 'Trino'; readonly code: string }

/** @param path of the table; one at the top is in no namespace, and so in no catalog: none then */
export const toTableQueries = (path: string, server: Server): readonly TableQuery[] => {
  const levels = path.split('/').slice(1)
  const table = levels.pop() ?? ''
  if (levels.length === 0) return []
  const target = { server, namespace: levels, table }
  return [
    { name: 'DuckDB', code: toDuckDb(target) },
    { name: 'pyiceberg', code: toPyiceberg(target) },
    { name: 'Spark', code: toSpark(target) },
    { name: 'Trino', code: toTrino(target) },
  ]
}

type Target = { readonly server: Server; readonly namespace: readonly string[]; readonly table: string }

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`

const needsToken = ({ proof }: Server): boolean => proof !== 'none'
const catalogOf = (address: ServerAddress): string => `${toBaseUrl(address)}/iceberg`

const toDuckDb = ({ server, namespace, table }: Target): string => {
  const base = toBaseUrl(server.address)
  const secrets = [
    "CREATE SECRET catalog (TYPE iceberg, TOKEN '<token>');",
    `CREATE SECRET files (TYPE http, BEARER_TOKEN '<token>', SCOPE ${sqlText(`${base}/`)});`,
  ]
  const proof = needsToken(server) ? 'SECRET catalog' : "AUTHORIZATION_TYPE 'none'"
  return [
    'INSTALL httpfs; INSTALL iceberg; LOAD httpfs; LOAD iceberg;',
    ...(needsToken(server) ? secrets : []),
    `ATTACH 'gateway' AS sluice (TYPE iceberg, ENDPOINT ${sqlText(catalogOf(server.address))}, ${proof});`,
    `SELECT * FROM sluice.${quote(namespace.join('.'))}.${quote(table)} LIMIT 10;`,
  ].join('\n')
}

/** Its files are opened by fsspec, where this scheme has to be registered. */
const toPyiceberg = ({ server, namespace, table }: Target): string => {
  const { address } = server
  const headers = needsToken(server) ? `headers={"Authorization": "Bearer <token>"}` : ''
  const name = `(${[...namespace, table].map(toPythonString).join(', ')})`
  return `from fsspec.implementations.http import HTTPFileSystem
from pyiceberg.catalog import load_catalog
from pyiceberg.io import fsspec

fsspec.SCHEME_TO_FS["${address.secure ? 'https' : 'http'}"] = lambda properties: HTTPFileSystem(${headers})
catalog = load_catalog("sluice", **{
    "type": "rest",
    "uri": ${toPythonString(catalogOf(address))},
    "warehouse": "gateway",${needsToken(server) ? '\n    "token": "<token>",' : ''}
    "py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO",
})
print(catalog.load_table(${name}).scan(limit=10).to_arrow())`
}

const sparkName = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** It reads the files from the cluster itself. */
const toSpark = ({ server, namespace, table }: Target): string => {
  const conf = (name: string, value: string): string =>
    `  --conf ${toShellWord(`spark.sql.catalog.sluice${name}=${value}`)} \\`
  const name = [...namespace, table].map(sparkName).join('.')
  return [
    'spark-sql --packages org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0 \\',
    conf('', 'org.apache.iceberg.spark.SparkCatalog'),
    conf('.type', 'rest'),
    conf('.uri', catalogOf(server.address)),
    ...(needsToken(server) ? [conf('.token', '<token>')] : []),
    `  -e ${toShellWord(`SELECT * FROM sluice.${name} LIMIT 10`)}`,
  ].join('\n')
}

/** It reads the files from the cluster itself, and knows names in lower case only. */
const toTrino = ({ server, namespace, table }: Target): string =>
  [
    '# etc/catalog/sluice.properties',
    'connector.name=iceberg',
    'fs.hadoop.enabled=true',
    'iceberg.catalog.type=rest',
    `iceberg.rest-catalog.uri=${catalogOf(server.address)}`,
    'iceberg.rest-catalog.case-insensitive-name-matching=true',
    ...(namespace.length > 1 ? ['iceberg.rest-catalog.nested-namespace-enabled=true'] : []),
    ...(needsToken(server)
      ? ['iceberg.rest-catalog.security=OAUTH2', 'iceberg.rest-catalog.oauth2.token=<token>']
      : []),
    '',
    `SELECT * FROM sluice.${quote(namespace.join('.').toLowerCase())}.${quote(table.toLowerCase())} LIMIT 10;`,
  ].join('\n')
