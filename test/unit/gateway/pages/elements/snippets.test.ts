import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type Snippet, type SnippetTarget, toSnippets } from '../../../../../src/gateway/pages/elements/snippets.ts'
import { hostileNames } from '../world.ts'

const plain: SnippetTarget['server'] = {
  address: { host: 'files.example', port: 8080, secure: false },
  proof: 'none',
}
const snippetsOf = (path: string, more: Partial<SnippetTarget> = {}) => {
  const all = toSnippets({ server: plain, path, isDirectory: false, ...more })
  const codeOf = (wanted: Snippet['name']): string => all.find(({ name }) => name === wanted)?.code ?? ''
  return { Hadoop: codeOf('Hadoop'), Python: codeOf('Python'), curl: codeOf('curl') }
}

/** Characters that break a line pasted into a shell, Hadoop's shell or Python, besides those that break pages. */
const names = [
  ...hostileNames,
  '$(id) `id` $HOME !! ~ # &',
  "'",
  "a'b\nc' ! 'd",
  '\\',
  "\\'\n\\n\\012",
  'trailing\\',
  '-rf',
  '*?[a]{b,c}^$|+()',
  '%25 %2F %0A',
  'a+b=c&d?e#f@g:h',
  'nbsp\u00a0ideographic\u3000',
  '\u0001\u007f\u0085\u200b\u2028\ufeff\u{e0001}',
  'e\u0301 \u00e9 👩‍💻',
  'tail\n',
  'octal\u00017',
]

const hasPython = spawnSync('python3', ['--version']).status === 0

describe('toSnippets', () => {
  test.each([
    {
      what: 'a directory',
      path: '/data',
      more: { isDirectory: true },
      want: {
        Hadoop: "hdfs dfs -ls 'webhdfs://files.example:8080/data'",
        Python:
          "import fsspec\nfs = fsspec.filesystem('webhdfs', host='files.example', port=8080)\nprint(fs.ls('/data', detail=False))",
        curl: "curl 'http://files.example:8080/webhdfs/v1/data?op=LISTSTATUS'",
      },
    },
    {
      what: 'the root',
      path: '/',
      more: { isDirectory: true },
      want: {
        Hadoop: "hdfs dfs -ls 'webhdfs://files.example:8080/'",
        Python: expect.stringContaining("fs.ls('/', detail=False)"),
        curl: "curl 'http://files.example:8080/webhdfs/v1/?op=LISTSTATUS'",
      },
    },
    {
      what: 'a file, by TLS at a port of its own',
      path: '/f',
      more: { server: { address: { host: 'files.example', port: 8443, secure: true }, proof: 'none' as const } },
      want: {
        Hadoop: "hdfs dfs -get 'swebhdfs://files.example:8443/f' .",
        Python: expect.stringContaining("host='files.example', port=8443, use_https=True)"),
        curl: "curl -o 'f' 'https://files.example:8443/files/f'",
      },
    },
    {
      what: 'a file, by TLS at the usual port, with tokens',
      path: '/a b/ü.bin',
      more: { server: { address: { host: '[::1]', port: 443, secure: true }, proof: 'token' as const } },
      want: {
        Hadoop: `export HADOOP_TOKEN=$(SLUICE_TOKEN='<token>' sluice token hadoop --server-url 'https://[::1]')
hdfs dfs -get 'swebhdfs://[::1]:443/a b/ü.bin' .`,
        Python: `import fsspec
fs = fsspec.filesystem('webhdfs', host='[::1]', port=443, use_https=True, token='<token>')
print(fs.open('/a b/ü.bin').read(1000))`,
        curl: "curl -o 'ü.bin' -H 'Authorization: Bearer <token>' 'https://[::1]/files/a%20b/%C3%BC.bin'",
      },
    },
    {
      what: 'a file, with a ticket where one does',
      path: '/f',
      more: { server: { address: { host: 'files.example', port: 8080, secure: false }, proof: 'ticket' as const } },
      want: {
        Hadoop: "hdfs dfs -get 'webhdfs://files.example:8080/f' .",
        Python: expect.stringContaining("port=8080, token='<token>')"),
        curl: "curl -o 'f' --negotiate -u : 'http://files.example:8080/files/f'",
      },
    },
  ])('are for $what', ({ path, more, want }) => {
    expect(snippetsOf(path, more)).toEqual(want)
  })

  test.each([
    ['/a.parquet', "pandas.read_parquet(fs.open('/a.parquet'))"],
    ['/a.CSV', "pandas.read_csv(fs.open('/a.CSV'))"],
    ['/a.csv.gz', "pandas.read_csv(fs.open('/a.csv.gz', compression='infer'))"],
    ['/a.parquet.txt', "fs.open('/a.parquet.txt').read(1000)"],
  ])('read %s with what reads it', (path, want) => {
    const { Python } = snippetsOf(path)
    expect(Python).toContain(`print(${want})`)
    expect(Python.includes('import fsspec, pandas\n')).toBe(want.startsWith('pandas'))
  })

  test('show every character, and begin no line that is not theirs', () => {
    for (const name of names) {
      const { Hadoop, Python, curl } = snippetsOf(`/d/${name}`)
      expect(`${Hadoop}${curl}`).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u3000]/u)
      expect(Python.split('\n')).toHaveLength(3)
    }
  })

  test.each(['C', 'C.UTF-8'])('give a shell the name as it is, whatever its locale (%s)', locale => {
    for (const name of names) {
      const path = `/d ir/${name}`
      const { Hadoop, curl } = snippetsOf(path)
      const [, get, url = '', here] = runInBash(Hadoop, locale)
      expect([get, here]).toEqual(['-get', '.'])
      expect(toHadoopPath(url)).toBe(`webhdfs://files.example:8080${path}`)
      const [, file, address = ''] = runInBash(curl, locale)
      expect(file).toBe(name)
      const { origin, pathname, search, hash } = new URL(address)
      expect([origin, search, hash]).toEqual(['http://files.example:8080', '', ''])
      expect(decodeURIComponent(pathname)).toBe(`/files${path}`)
    }
  })

  test.skipIf(!hasPython)('give Python the name as it is', () => {
    const paths = names.map(name => `/d ir/${name}`)
    const codes = paths.flatMap(path => [
      snippetsOf(path).Python,
      snippetsOf(path, { isDirectory: true }).Python,
      snippetsOf(`${path}.parquet`).Python,
    ])
    const seen = JSON.parse(execFileSync('python3', ['-c', python], { input: JSON.stringify(codes) }).toString())
    expect(seen).toEqual(paths.flatMap(path => [path, path, `${path}.parquet`]))
  })
})

/** The words that a command gets when bash runs the line; nothing else may run. */
const runInBash = (line: string, locale: string): readonly string[] => {
  const show = `() { printf '%s\\0' "$@"; }`
  const out = execFileSync('/bin/bash', ['--norc', '-c', `hdfs ${show}; curl ${show}; ${line}`], {
    env: { LC_ALL: locale, PATH: '' },
  })
  return out.toString().split('\0').slice(0, -1)
}

/** What Hadoop's shell makes of a pattern without wildcards; fails where one is left. */
const toHadoopPath = (pattern: string): string => {
  expect(pattern.replaceAll(/\\./gs, '')).not.toMatch(/[*?[\]{}\\]/)
  return pattern.replaceAll(/\\(.)/gs, '$1')
}

/** Runs the lines with modules that only note which path they are to open. */
const python = `
import json, sys, types
seen = []
class Files:
    def open(self, path, **_): seen.append(path); return self
    def ls(self, path, **_): seen.append(path)
    def read(self, _): pass
fsspec = types.ModuleType('fsspec')
fsspec.filesystem = lambda *_, **options: Files()
pandas = types.ModuleType('pandas')
pandas.read_parquet = lambda file: None
sys.modules.update(fsspec=fsspec, pandas=pandas)
for code in json.load(sys.stdin): exec(code, {'print': lambda *_: None})
print(json.dumps(seen))
`
