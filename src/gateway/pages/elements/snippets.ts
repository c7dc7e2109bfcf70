import { baseName } from '../../../filesystem/path.ts'
import { type ServerAddress, toBaseUrl } from '../../../http/origin/origin.ts'
import { toFileLink, toUrlPath } from './links.ts'
import { toHadoopPattern, toPythonString, toShellWord } from './quoting.ts'

/** The server as the reader of a page reaches it. */
export type Server = {
  readonly address: ServerAddress
  /** How callers show who they are. A caller with a ticket may use a token instead. */
  readonly proof: 'none' | 'token' | 'ticket'
}

/** What the lines are to reach; where a token is needed they have a place for it, and what knows tickets uses one. */
export type SnippetTarget = {
  readonly server: Server
  readonly path: string
  readonly isDirectory: boolean
}

/** Lines to copy. */
export type Snippet = { readonly name: 'Hadoop' | 'Python' | 'curl'; readonly code: string }

/** How to reach one path: through WebHDFS by Hadoop's shell and by fsspec, and by `curl`, a file by its plain link. */
export const toSnippets = (target: SnippetTarget): readonly Snippet[] => [
  { name: 'Hadoop', code: toHadoop(target) },
  { name: 'Python', code: toPython(target) },
  { name: 'curl', code: toCurl(target) },
]

/** Without a port Hadoop takes that of a name node; it takes tokens of its own make only. */
const toHadoop = ({ server: { address, proof }, path, isDirectory }: SnippetTarget): string => {
  const { host, port, secure } = address
  const url = toShellWord(`${secure ? 'swebhdfs' : 'webhdfs'}://${host}:${port}${toHadoopPattern(path)}`)
  const command = isDirectory ? `hdfs dfs -ls ${url}` : `hdfs dfs -get ${url} .`
  if (proof !== 'token') return command
  const server = toShellWord(toBaseUrl(address))
  return `export HADOOP_TOKEN=$(SLUICE_TOKEN='<token>' sluice token hadoop --server-url ${server})\n${command}`
}

/** No URLs, which fsspec takes apart without decoding them: names with `?` would lose the rest. */
const toPython = ({ server: { address, proof }, path, isDirectory }: SnippetTarget): string => {
  const { host, port, secure } = address
  const options = [
    `host=${toPythonString(host)}`,
    `port=${port}`,
    ...(secure ? ['use_https=True'] : []),
    ...(proof === 'none' ? [] : ["token='<token>'"]),
  ]
  const file = toPythonString(path)
  const read = reads.find(({ names }) => names.test(path))
  const what = isDirectory ? `fs.ls(${file}, detail=False)` : (read?.of(file) ?? `fs.open(${file}).read(1000)`)
  return `import fsspec${what.startsWith('pandas') ? ', pandas' : ''}
fs = fsspec.filesystem('webhdfs', ${options.join(', ')})
print(${what})`
}

/** What pandas reads, by the ends of names. */
const reads: readonly { readonly names: RegExp; readonly of: (file: string) => string }[] = [
  { names: /\.parquet$/i, of: file => `pandas.read_parquet(fs.open(${file}))` },
  { names: /\.csv$/i, of: file => `pandas.read_csv(fs.open(${file}))` },
  { names: /\.csv\.(?:gz|bz2|xz|zst)$/i, of: file => `pandas.read_csv(fs.open(${file}, compression='infer'))` },
]

const toCurl = ({ server: { address, proof }, path, isDirectory }: SnippetTarget): string => {
  const target = isDirectory ? `/webhdfs/v1${toUrlPath(path)}?op=LISTSTATUS` : toFileLink(path)
  return [
    isDirectory ? 'curl' : `curl -o ${toShellWord(baseName(path))}`,
    ...curlProofs[proof],
    toShellWord(`${toBaseUrl(address)}${target}`),
  ].join(' ')
}

const curlProofs = {
  none: [],
  token: ["-H 'Authorization: Bearer <token>'"],
  ticket: ['--negotiate -u :'],
} as const satisfies Record<Server['proof'], readonly string[]>
